import type { ChangeInfo, VersionHistory } from '../../versioning/options.ts'
import type { DocumentInfo } from './types.ts'

/** Adds to the description of a document, as Markdown, what changed with its version. */
export function withChangeNotes(
  info: DocumentInfo,
  version: string | null,
  history: VersionHistory | undefined,
): DocumentInfo {
  const changes =
    history?.changes.filter((change) => change.version === version && change.internal !== true) ?? []
  if (changes.length === 0) return info
  const notes = [`What is new in ${version}:`, changes.map(toLine).join('\n')]
  return { ...info, description: [info.description, ...notes].filter(Boolean).join('\n\n') }
}

function toLine({ title, description }: ChangeInfo): string {
  return description === title ? `- ${title}` : `- **${title}.** ${description}`
}
