/** A route of the benchmark. */
export interface BenchRoute {
  readonly method: string
  /** The pattern in our spelling. */
  readonly path: string
}

/** The 203 routes of GitHub's REST API (version 3, without PATCH) that routers are commonly compared with. */
export const GITHUB_ROUTES: readonly BenchRoute[] = `
DELETE /applications/{client_id}/tokens
GET,DELETE /applications/{client_id}/tokens/{access_token}
GET,POST /authorizations
GET,DELETE /authorizations/{id}
GET /emojis
GET /events
GET /feeds
GET,POST /gists
GET,DELETE /gists/{id}
POST /gists/{id}/forks
PUT,DELETE,GET /gists/{id}/star
GET /gitignore/templates
GET /gitignore/templates/{name}
GET /issues
GET /legacy/issues/search/{owner}/{repository}/{state}/{keyword}
GET /legacy/repos/search/{keyword}
GET /legacy/user/email/{email}
GET /legacy/user/search/{keyword}
POST /markdown
POST /markdown/raw
GET /meta
GET /networks/{owner}/{repo}/events
GET,PUT /notifications
GET /notifications/threads/{id}
GET,PUT,DELETE /notifications/threads/{id}/subscription
GET /orgs/{org}
GET /orgs/{org}/events
GET /orgs/{org}/issues
GET /orgs/{org}/members
GET,DELETE /orgs/{org}/members/{user}
GET /orgs/{org}/public_members
GET,PUT,DELETE /orgs/{org}/public_members/{user}
GET,POST /orgs/{org}/repos
GET,POST /orgs/{org}/teams
GET /rate_limit
GET,DELETE /repos/{owner}/{repo}
GET /repos/{owner}/{repo}/assignees
GET /repos/{owner}/{repo}/assignees/{assignee}
GET /repos/{owner}/{repo}/branches
GET /repos/{owner}/{repo}/branches/{branch}
GET /repos/{owner}/{repo}/collaborators
GET,PUT,DELETE /repos/{owner}/{repo}/collaborators/{user}
GET /repos/{owner}/{repo}/comments
GET,DELETE /repos/{owner}/{repo}/comments/{id}
GET /repos/{owner}/{repo}/commits
GET /repos/{owner}/{repo}/commits/{sha}
GET,POST /repos/{owner}/{repo}/commits/{sha}/comments
GET /repos/{owner}/{repo}/contributors
GET /repos/{owner}/{repo}/downloads
GET,DELETE /repos/{owner}/{repo}/downloads/{id}
GET /repos/{owner}/{repo}/events
GET,POST /repos/{owner}/{repo}/forks
POST /repos/{owner}/{repo}/git/blobs
GET /repos/{owner}/{repo}/git/blobs/{sha}
POST /repos/{owner}/{repo}/git/commits
GET /repos/{owner}/{repo}/git/commits/{sha}
GET,POST /repos/{owner}/{repo}/git/refs
POST /repos/{owner}/{repo}/git/tags
GET /repos/{owner}/{repo}/git/tags/{sha}
POST /repos/{owner}/{repo}/git/trees
GET /repos/{owner}/{repo}/git/trees/{sha}
GET,POST /repos/{owner}/{repo}/hooks
GET,DELETE /repos/{owner}/{repo}/hooks/{id}
POST /repos/{owner}/{repo}/hooks/{id}/tests
GET,POST /repos/{owner}/{repo}/issues
GET /repos/{owner}/{repo}/issues/{number}
GET,POST /repos/{owner}/{repo}/issues/{number}/comments
GET /repos/{owner}/{repo}/issues/{number}/events
GET,POST,PUT,DELETE /repos/{owner}/{repo}/issues/{number}/labels
DELETE /repos/{owner}/{repo}/issues/{number}/labels/{name}
GET,POST /repos/{owner}/{repo}/keys
GET,DELETE /repos/{owner}/{repo}/keys/{id}
GET,POST /repos/{owner}/{repo}/labels
GET,DELETE /repos/{owner}/{repo}/labels/{name}
GET /repos/{owner}/{repo}/languages
POST /repos/{owner}/{repo}/merges
GET,POST /repos/{owner}/{repo}/milestones
GET,DELETE /repos/{owner}/{repo}/milestones/{number}
GET /repos/{owner}/{repo}/milestones/{number}/labels
GET,PUT /repos/{owner}/{repo}/notifications
GET,POST /repos/{owner}/{repo}/pulls
GET /repos/{owner}/{repo}/pulls/{number}
GET,PUT /repos/{owner}/{repo}/pulls/{number}/comments
GET /repos/{owner}/{repo}/pulls/{number}/commits
GET /repos/{owner}/{repo}/pulls/{number}/files
GET,PUT /repos/{owner}/{repo}/pulls/{number}/merge
GET /repos/{owner}/{repo}/readme
GET,POST /repos/{owner}/{repo}/releases
GET,DELETE /repos/{owner}/{repo}/releases/{id}
GET /repos/{owner}/{repo}/releases/{id}/assets
GET /repos/{owner}/{repo}/stargazers
GET /repos/{owner}/{repo}/stats/code_frequency
GET /repos/{owner}/{repo}/stats/commit_activity
GET /repos/{owner}/{repo}/stats/contributors
GET /repos/{owner}/{repo}/stats/participation
GET /repos/{owner}/{repo}/stats/punch_card
GET,POST /repos/{owner}/{repo}/statuses/{ref}
GET /repos/{owner}/{repo}/subscribers
GET,PUT,DELETE /repos/{owner}/{repo}/subscription
GET /repos/{owner}/{repo}/tags
GET /repos/{owner}/{repo}/teams
GET /repositories
GET /search/code
GET /search/issues
GET /search/repositories
GET /search/users
GET,DELETE /teams/{id}
GET /teams/{id}/members
GET,PUT,DELETE /teams/{id}/members/{user}
GET /teams/{id}/repos
GET,PUT,DELETE /teams/{id}/repos/{owner}/{repo}
GET /user
GET,POST,DELETE /user/emails
GET /user/followers
GET /user/following
GET,PUT,DELETE /user/following/{user}
GET /user/issues
GET,POST /user/keys
GET,DELETE /user/keys/{id}
GET /user/orgs
GET,POST /user/repos
GET /user/starred
GET,PUT,DELETE /user/starred/{owner}/{repo}
GET /user/subscriptions
GET,PUT,DELETE /user/subscriptions/{owner}/{repo}
GET /user/teams
GET /users
GET /users/{user}
GET /users/{user}/events
GET /users/{user}/events/orgs/{org}
GET /users/{user}/events/public
GET /users/{user}/followers
GET /users/{user}/following
GET /users/{user}/following/{target_user}
GET /users/{user}/gists
GET /users/{user}/keys
GET /users/{user}/orgs
GET /users/{user}/received_events
GET /users/{user}/received_events/public
GET /users/{user}/repos
GET /users/{user}/starred
GET /users/{user}/subscriptions
`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [methods = '', path = ''] = line.split(' ')
    return methods.split(',').map((method) => ({ method, path }))
  })
