import { speedOf } from './files.ts'

/**
 * The files that need a process of their own, each with the reason. All other fast files share a few processes,
 * one after the other, so a file that is not listed must leave no trace: it restores what it mocks and closes what it opens.
 */
export const OWN: Readonly<Record<string, string>> = {
  'test/docs/snippets.test.ts': 'mocks the console and waits for a compiler',
  'test/docs-page/life.test.ts': 'hides packages',
  'test/docs-page/page.test.ts': 'hides packages',
  'test/node/engine-body.test.ts': 'counts promises, of which listeners of other files make some',
  'test/node/slow.test.ts': 'waits',
}

/**
 * The name of the process that a file does not share with the others, if there is one. Slow files always run alone, because they measure
 * time and memory or use all cores.
 */
export function processOf(file: string): string | undefined {
  return speedOf(file) === 'slow' || file in OWN ? file.replace(/\.ts$/, '') : undefined
}
