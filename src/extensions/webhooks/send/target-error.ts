/** Why nothing is sent to a URL. */
export type TargetProblem = 'url' | 'scheme' | 'credentials' | 'port' | 'host' | 'address'

const MESSAGES: Readonly<Record<TargetProblem, string>> = {
  url: 'The URL cannot be read',
  scheme: 'The scheme of the URL is not allowed',
  credentials: 'The URL has a user name or a password',
  port: 'The port of the URL is not allowed',
  host: 'The host of the URL is not a public name',
  // the address itself is not told, so that nobody learns what names mean inside of the network
  address: 'The host of the URL has an address that is not public',
}

/** A webhook is not sent to a URL, because it leads elsewhere than to the public internet. Its message can be shown to the owner of the URL. */
export class WebhookTargetError extends Error {
  /** The name of the class. */
  override readonly name = 'WebhookTargetError'
  /** The flaw of the URL. */
  readonly problem: TargetProblem

  constructor(problem: TargetProblem) {
    super(MESSAGES[problem])
    this.problem = problem
  }
}
