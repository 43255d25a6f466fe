import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const TESTS = join(import.meta.dirname, '..')

/** The rules of versioning, by the file of their test: each with the beginning of the title that tests it. */
const RULES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'versioning/source-document.test.ts': {
    'a call enables a scheme with its arguments': 'every scheme is enabled by a call',
    'URL reads the first segment': 'URL: the version is the first segment',
    'HEADER reads a parameter of any media type in Accept': 'HEADER with accept: a parameter',
    'HEADER reads name=value in a header of its own': 'HEADER with a header of its own',
    'QUERY reads a parameter': 'QUERY: the parameter',
    'HOST reads the first of three labels': 'HOST: the first of three labels',
    'a request without version gets the default': 'no version in the request is the default version',
    'the version of a controller holds for its routes': 'a version on a controller',
    'the version of a route replaces that of the controller': 'a version on a route',
    'several versions are each answered': 'several versions: answers for each',
    'routes of several versions may share method and path': 'one method and path in several versions',
    'versions are strings': 'versions are strings',
    'a path is prefix and path of the route': 'a path is the prefix and the path of the route',
  },
  'versioning/precedence.test.ts': {
    'an exact version comes before ranges, unversioned and neutral routes':
      'the version itself before ranges',
    'a range may go on above an exact version': 'a range in two parts goes on above a version',
    'the nearest level gives a route its version': 'a nested router replaces',
    'an unversioned route beside versioned ones answers no version and the default':
      'an unversioned route beside versioned ones answers for the default too',
    'a path without versioned routes answers any version': 'a never-versioned path answers any version',
    'a route of the default version comes before an unversioned one':
      'the default version itself before unversioned',
    'a neutral route answers known versions and none': 'a neutral route beside versioned ones answers',
    'a list may have neutral and versions': 'a list with neutral and a version is exact',
    'a path is a pattern': 'a pattern is versioned by its own routes',
    'a list with neutral makes the path versioned': 'a list with neutral counts as versioned',
    'unversioned comes before neutral at a path without versions': 'unversioned comes before neutral',
  },
  'versioning/properties.slow.test.ts': {
    'equal routes are refused, and the order of declaration does not matter':
      'of routes, controllers and modules',
  },
  'versioning/ranges-and-formats.test.ts': {
    'listed versions are known': 'versions that are listed are known',
    'formats decide which versions are equal and well formed': 'semver: missing parts are 0',
    'without a format versions are equal as text': 'string: equality of text',
    'versions are ordered by value, else by the list': 'by value, whatever the order of the list',
    'ranges have comparators': 'several comparators all hold',
    'ranges are compared by the versions that they cover': 'ranges are ordered by what they cover',
    'long versions are refused': '65 characters are malformed',
  },
  'versioning/hostile-versions.test.ts': {
    'long versions are never parsed': '5,000 digits look like a version',
    'dot segments are not resolved': 'dot segments are not resolved',
  },
  'versioning/default-selectors.test.ts': {
    'the default may be chosen by its place or by a function': 'latest, latestStable and oldest choose',
  },
  'versioning/elsewhere.test.ts': {
    'a version of another deployment is unsupported, and the problem says so':
      'is unsupported here, and the problem',
  },
  'versioning/forward.test.ts': {
    'a retired version may be forwarded': 'to the next version that has the path',
  },
  'versioning/default-by-path.test.ts': {
    'a default that is chosen by its place is chosen at each path': 'a path does not end when another one',
    'what tells of requests without version agrees': 'links, clients, app.versions() and documents',
  },
  'versioning/default-version.test.ts': {
    'a function chooses the default by the request': 'the function chooses by the request',
  },
  'versioning/boot-options.test.ts': {
    'required excludes a default': 'required beside a default version',
    'a required version excludes a default of every kind': 'required beside a function',
    'a sunset before the deprecation is refused': 'a sunset before the deprecation',
    'a closed list has every version': 'every route with a version outside a closed list',
    'a record of versions adds policies only': 'in the record of enableVersioning',
    'a level is reported once': 'of a level with many routes, once',
    'common options and those of schemes are apart': 'options of one scheme are refused',
  },
  'versioning/boot-checks.test.ts': {
    'equal routes are refused': 'duplicate routes are definition errors',
    'an unknown default is refused': 'a default that no route names',
    'a range needs a list': 'a range without a list',
    'a range matches a known version': 'a range that matches nothing',
    'an ordinary path does not hide a path of a version': 'an ordinary path that hides a path',
    'a scheme carries every version': 'URL: a question mark',
    'mistakes in versions are thrown when the application is made ready':
      'inject, listen and urlFor all throw',
    'without versioning, versions do not count': 'two versioned routes without versioning',
    'a second call of enableVersioning replaces the first': 'a second call replaces the first',
  },
  'versioning/range-splits.test.ts': {
    'a range that goes on above another route is refused': 'a range that goes on above a version',
  },
  'versioning/floor.test.ts': {
    'an unknown version may get the nearest earlier one': "unknown: 'floor' answers in the nearest earlier",
    'the nearest earlier version is one that the path has': 'the nearest earlier version that is served',
    'the path decides which version that is, not the method': 'the path is served, the method is not',
  },
  'versioning/url.test.ts': {
    'only the first segment is a version': 'later segments are no versions',
    'a segment that looks like a version is unknown if the rest exists':
      'a segment that looks like a version is unsupported',
    'declared versions may have letters, dates and dots': 'a declared version may have letters',
    'the prefix is case-sensitive': 'the prefix is case-sensitive',
    'a version alone is its root': 'the version alone is the root',
    'an ordinary path may begin with a version': 'an ordinary path that begins with a version answers',
    'a version segment wins over a parameter': 'a version segment wins over a parameter',
    'escaped letters are letters': 'escaped letters are the same segment',
    'two slashes are not one': 'two slashes at the start are not one',
    'targets may be absolute': 'a target in absolute form names the version',
    'redirects keep the version': 'redirects keep the version',
    'the default has no segment': 'the default answers without its segment',
    'the declared spelling answers at once': 'the declared spelling answers',
    'version roots have never-versioned paths': 'version roots have never-versioned paths',
    'neutral paths behind an unknown version are unsupported': 'a neutral path behind an unknown version',
    'a slash at the end of a version does not count': 'the version alone with a slash',
    'the path of the context has no version segment': 'path is without the version segment',
    'the format accepts what looks like a version': 'a segment that the format accepts looks like',
    'a version root is never left': 'a version root is never left',
    'versions follow the prefix of the application': 'a wrong method on a version alone',
    'neutral paths are served behind every known version': 'a neutral path answers behind every known',
  },
  'versioning/echo.test.ts': {
    'the content type may name the version': 'with the parameter that requests have',
    'the response may name the version': 'echo: true names the version used',
  },
  'versioning/media-type.test.ts': {
    'the content type of the request may name the version': 'contentType: true reads the version',
  },
  'versioning/header-custom.test.ts': {
    'a header of its own has name=value items': 'one of several parameters is the version',
    'a header of its own may have the value alone': 'a value without name is the version',
    'another parameter is no version': 'another parameter is no version',
    'repeated lines that differ are ambiguous': 'repeated lines that differ are ambiguous',
    'white space is no version': 'a header of white space is no version',
    'no header is no version': 'no header is no version',
    'only 405 is left at a path without versions': 'a never-versioned path has only 405 for an unknown',
    'OPTIONS of a path without versions answers any version': 'OPTIONS of a never-versioned path',
  },
  'versioning/query.test.ts': {
    'values are decoded once, and names are case-sensitive': 'a value is decoded once only',
    'a repeated parameter is equal or ambiguous': 'a repeated parameter with different values',
    'an empty value is no version': 'an empty value is no version',
    'handlers do not see the parameter': 'a strict schema does not see it',
    'brackets are another name': 'brackets are another name',
    'OPTIONS * needs no version': 'OPTIONS * needs no version',
  },
  'versioning/url-for.test.ts': {
    'urlFor writes the version': 'the newest version goes where the scheme reads it',
    'urlFor keeps the query parameter': 'the query keeps the version',
    'urlFor chooses the route by the version': 'where the version is not in the URL, it still chooses',
  },
  'versioning/host.test.ts': {
    'an absolute target beats Host': 'an absolute-form target beats Host',
    'port, dot and case of a host do not count': 'a port does not count',
    'addresses and other host names are no version': 'an IPv6 address is no version',
    'the prefix is taken off once': 'the prefix is taken off once',
    'labels can be ignored': 'ignoreLabels are no versions',
    'two Host lines are refused': 'two Host lines that differ',
    'X-Forwarded-Host needs trustProxy': 'X-Forwarded-Host counts under trustProxy only',
    'the pattern of the host can be replaced': 'hostPattern: ',
    'the label matches in any case': 'the label matches in any case',
  },
  'versioning/several-schemes.test.ts': {
    'schemes have to agree': 'versions that differ are ambiguous, and each',
    'lists of preferences agree on common versions': 'versions that both have count in the order',
    'sources name each value': 'a repeated parameter counts as one that differs',
    'the status is that of the scheme that found the version': 'unsupported has the status of its scheme',
  },
  'versioning/vary.test.ts': {
    'the headers that may decide are in Vary': 'the answer of a version',
    'no Vary if versions are in the URL': 'not where the version is part of the URL',
    'no Vary at paths without versions': 'not a never-versioned path',
  },
  'versioning/methods.test.ts': {
    'HEAD is answered as GET is': 'HEAD answers from GET of the version',
    '405 has the methods of the version': '405 has the methods of version 1',
    'a path that the version lacks is unsupported': 'a path that the version lacks is unsupported',
    'OPTIONS lists methods': 'OPTIONS lists the methods of version 1',
    'OPTIONS without version lists the methods of all': 'OPTIONS without version lists the methods of all',
  },
  'versioning/cors.test.ts': {
    'a preflight needs no version': 'a preflight ${title}',
    'the header of the version is allowed': 'the header of the version ${title}',
    'the headers that report on versions are exposed': '${name} exposes ${title}',
    'preflights vary on what they ask': '${name} varies on what a preflight says',
  },
  'versioning/deprecation.test.ts': {
    'Deprecation has the date': 'a date is its first instant in UTC',
    'Link has the links of the policy': 'quotes and backslashes in titles are escaped',
    'responses of the route have these headers': 'responses of a route report on its version',
  },
  'versioning/sunset.test.ts': {
    'Sunset has the moment': 'the header Sunset has the moment',
    'after the sunset a version goes on or is gone': 'gone: 410 from the very moment on',
  },
  'versioning/reports.test.ts': {
    'responses list the versions of the path': "report: 'errors' lists the versions",
    'a deprecated version is in the second list only': 'the body says the same',
  },
  'versioning/successors.test.ts': {
    'responses link to newer versions': 'lead to the next and to the newest',
    'a 410 links to newer versions': '410 carries them',
  },
  'versioning/required.test.ts': {
    'requests without version can be refused': 'required: requests without version are refused',
  },
  'versioning/own-scheme.test.ts': {
    'schemes can be written': 'reads a version',
  },
  'versioning/warnings.test.ts': {
    'an unversioned route that the default replaces': 'an unversioned route beside one for the default',
    'an application without versions': 'nothing but neutral and unversioned routes',
    'a neutral route that is replaced everywhere': 'replaced in every version',
    'a parameter that never gets a version segment': 'a parameter of an unversioned route',
    'a hole between versions': 'a version without the route between two',
    'a version without routes': 'a version that is listed only',
    'common host labels': 'common host labels that would be versions',
  },
  'openapi/documents.test.ts': {
    'documents mark the end of versions': 'documents: the end of versions',
  },
  'app/etag.test.ts': {
    'tags differ by version': 'tags versions apart',
  },
  'docs-page/page.test.ts': {
    'the page takes a version':
      'offers all versions and each, newest first, and opens on the one that is asked for',
  },
}

const rows = Object.entries(RULES).flatMap(([file, rules]) =>
  Object.entries(rules).map(([rule, title]) => ({ file, rule, title })),
)

/** Whether a file has a text that begins so: titles are written out, also those in tables. */
function isTitle(file: string, title: string): boolean {
  const text = readFileSync(join(TESTS, file), 'utf8')
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}`))
}

function repeated(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index)
}

describe('the rules of versioning', () => {
  it('every rule is in the title of a test', () => {
    assert.deepEqual(
      rows.filter(({ file, title }) => !isTitle(file, title)),
      [],
    )
  })
  it('every rule is listed once', () => {
    assert.deepEqual(repeated(rows.map(({ rule }) => rule)), [])
  })
  it('every rule has a title of its own', () => {
    assert.deepEqual(repeated(rows.map(({ file, title }) => `${file}: ${title}`)), [])
  })
})
