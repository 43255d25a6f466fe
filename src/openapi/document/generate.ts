import {
  DefinitionError,
  type DefinitionProblem,
  type DefinitionWarning,
} from '../../base/definition-error.ts'
import { combineDocuments } from './combine.ts'
import { toDocument, WITHOUT_SCHEMAS, type DatedDocument } from './document.ts'
import type {
  Conversion,
  ConvertSchemas,
  Convertible,
  DocumentedFormat,
  DocumentedVersion,
  DocumentSettings,
  NamedSchema,
  OpenApiDocument,
} from './types.ts'
import { createOperations } from './operation.ts'
import { problemsOf } from '../../routes/resolved-route.ts'
import { toRouteParameters } from '../schemas/route-parameters.ts'
import { createWebhooksOf, webhookProblems, type DocumentedWebhook } from './webhooks.ts'

/** The parts that a generator makes documents of. */
export interface GeneratorSource {
  /** Oldest first; the last may have the version `null`. */
  readonly versions: readonly DocumentedVersion[]
  readonly named: readonly NamedSchema[]
  readonly settings: DocumentSettings
  /** Is called with what no document can show, once schemas are converted. */
  readonly warn: (warning: DefinitionWarning) => void
}

/** Creates documents, each once. */
export interface Generator {
  /** Converts all schemas, which documents do otherwise, so that warnings come early. */
  readonly convert: () => void
  /** The document of a version; of all versions without one. @throws `DefinitionError` for what cannot be documented. */
  readonly document: (version: string | undefined) => OpenApiDocument
  /** The schemas of a version, or `null` if requests name none. @throws `DefinitionError` for what cannot be documented. */
  readonly conversion: (version: string | null) => Conversion
  readonly webhooks: (version: string | null) => readonly DocumentedWebhook[]
}

const NOTHING: DocumentedVersion = {
  version: null,
  routes: [],
  errorFormat: undefined,
  lifetime: undefined,
  policy: undefined,
  isElsewhere: false,
}

/** Prepares the documents of an application; without `convert` nothing has a schema. */
export function createGenerator(
  { versions, named, settings, warn }: GeneratorSource,
  convert: ConvertSchemas | undefined,
): Generator {
  const list = versions.flatMap(({ version }) => version ?? [])
  const webhooksOf = createWebhooksOf(settings.webhooks, list, settings)
  const sentIn = (some: readonly DocumentedVersion[]): readonly Convertible[] => [
    ...new Set(some.flatMap(({ version }) => webhooksOf(version))),
  ]
  const conversionOf = createConversions(
    versions,
    convert && ((some) => convert([...routesOf(some), ...sentIn(some)], named, formatsIn(some))),
    warn,
  )
  const writeOperation = createOperations()
  const made = new Map<DocumentedVersion, DatedDocument>()
  let combined: Pick<DatedDocument, 'document' | 'until'> | undefined
  const make = (documented: DocumentedVersion): DatedDocument => {
    const kept = made.get(documented)
    if (kept !== undefined && settings.now() < kept.until) return kept
    const conversion = conversionOf(documented)
    const webhooks = webhooksOf(documented.version)
    const fresh = toDocument(documented, conversion, settings, { writeOperation, webhooks })
    failIfAny([...conversion.problems, ...fresh.problems, ...webhookProblems(webhooks)])
    made.set(documented, fresh)
    return fresh
  }
  const makeAll = (): OpenApiDocument => {
    if (combined !== undefined && settings.now() < combined.until) return combined.document
    // a version of which nothing is shown is not told, unless another deployment serves it
    const shown = versions.filter(({ routes, isElsewhere }) => isElsewhere || routes.length > 0)
    const parts = (shown.length > 0 ? shown : [NOTHING]).map((documented) => ({
      version: documented.version,
      ...make(documented),
    }))
    failIfAny(differingSchemes(parts.map(({ document }) => document)))
    const until = Math.min(...parts.map((each) => each.until))
    combined = { document: combineDocuments(parts, settings), until }
    return combined.document
  }
  return {
    convert: () => {
      for (const documented of versions.slice(0, 1)) conversionOf(documented)
    },
    document: (version) => {
      if (version === undefined) return makeAll()
      const documented = versions.find((each) => each.version === version)
      if (documented === undefined) throw new RangeError(`There is no version "${version}"`)
      return make(documented).document
    },
    conversion: (version) => {
      const documented = versions.find((each) => each.version === version)
      const conversion = conversionOf(documented ?? versions.at(-1) ?? NOTHING)
      failIfAny(conversion.problems)
      return conversion
    },
    webhooks: webhooksOf,
  }
}

function failIfAny(problems: readonly DefinitionProblem[]): void {
  if (problems.length > 0) throw new DefinitionError(problems)
}

/** Converts the schemas of all versions at once; of each by itself where versions have different schemas of one name. */
function createConversions(
  versions: readonly DocumentedVersion[],
  convertAll: ((some: readonly DocumentedVersion[]) => Conversion) | undefined,
  warn: GeneratorSource['warn'],
): (documented: DocumentedVersion) => Conversion {
  if (convertAll === undefined) {
    // routes that declare no schema have the parameters of their paths
    const schemaless: Conversion = {
      routes: new Map(
        routesOf(versions).map((route) => [
          route,
          {
            ...WITHOUT_SCHEMAS,
            parameters: toRouteParameters(route, new Map(), {}),
            problems: problemsOf(route).map((problem) => ({ problem, members: undefined })),
          },
        ]),
      ),
      errors: new Map(),
      components: {},
      problems: [],
      warnings: [],
    }
    return () => schemaless
  }
  const apart = new Map<DocumentedVersion, Conversion>()
  let whole: Conversion | undefined
  return (documented) => {
    if (whole === undefined) {
      whole = convertAll(versions)
      whole.warnings.forEach(warn)
    }
    if (!whole.problems.some(({ code }) => code === 'duplicate_schema')) return whole
    const own = apart.get(documented) ?? convertAll([documented])
    apart.set(documented, own)
    return own
  }
}

/** The formats of errors in versions, each once. */
function formatsIn(versions: readonly DocumentedVersion[]): readonly DocumentedFormat[] {
  const formats = versions.flatMap(({ errorFormat }) => errorFormat ?? [])
  return [...new Map(formats.map((format) => [format.schema, format])).values()]
}

function routesOf(versions: readonly DocumentedVersion[]): readonly Convertible[] {
  return [...new Set(versions.flatMap(({ routes }) => routes.map(({ route }) => route)))]
}

/** Security schemes of one name that differ between versions. */
function differingSchemes(documents: readonly OpenApiDocument[]): readonly DefinitionProblem[] {
  const known = new Map<string, string>()
  const problems = new Map<string, DefinitionProblem>()
  for (const { components } of documents) {
    for (const [name, scheme] of Object.entries(components.securitySchemes ?? {})) {
      const text = JSON.stringify(scheme)
      if ((known.get(name) ?? text) !== text)
        problems.set(name, {
          code: 'duplicate_security_scheme',
          where: `security scheme ${name}`,
          message: `"${name}" is another scheme in another version`,
          fix: 'give the guard of one of the versions another name',
        })
      known.set(name, text)
    }
  }
  return [...problems.values()]
}
