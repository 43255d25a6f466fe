import { speedOf } from './files.ts'
import type { Way } from './files.ts'

/**
 * The files that need a process of their own, or those of a folder, each with the reason. All other fast files share a few processes, so
 * a file that is not listed must leave no trace: it restores what it mocks, closes what it opens, and measures neither time nor memory.
 */
export const OWN: Readonly<Record<string, string>> = {
  'test/runner/': 'starts processes',
  'test/app/client.test.ts': 'mocks the clock',
  'test/app/decompression.test.ts': 'measures time and memory',
  'test/app/dispatcher.test.ts': 'forces garbage collections',
  'test/app/file.test.ts': 'starts a process',
  'test/app/limits.test.ts': 'measures time',
  'test/app/load-shedding.test.ts': 'mocks the clock and blocks the event loop',
  'test/app/logging.test.ts': 'starts processes and subscribes to channels',
  'test/app/pollution.test.ts': 'listens on sockets and changes Object.prototype',
  'test/app/rate-limit.test.ts': 'mocks the clock and starts Redis',
  'test/app/timeout.test.ts': 'mocks the clock and counts timers',
  'test/architecture.test.ts': 'starts a process',
  'test/auth/jwt-keys.test.ts': 'listens on sockets and mocks the clock',
  'test/auth/jwt.test.ts': 'mocks the clock and global functions',
  'test/client/bundle.test.ts': 'runs esbuild',
  'test/client/events.test.ts': 'listens on sockets and replaces timers',
  'test/client/retry.test.ts': 'listens on sockets and replaces timers',
  'test/client/transport.test.ts': 'listens on sockets and waits',
  'test/define/mistakes.test.ts': 'lists the parameter types of the process',
  'test/docs/snippets.test.ts': 'mocks the console, runs esbuild and a compiler',
  'test/docs-page/life.test.ts': 'hides packages',
  'test/docs-page/page.test.ts': 'listens on sockets and hides packages',
  'test/examples/car.test.ts': 'starts a process',
  'test/examples/history/': 'mocks the clock',
  'test/examples/jwt.test.ts': 'mocks the clock',
  'test/examples/monitoring.test.ts': 'subscribes to channels',
  'test/examples/versions.test.ts': 'starts a process',
  'test/fault/': 'listens on sockets and measures time',
  'test/metrics/': 'subscribes to channels',
  'test/node/bounds.test.ts': 'counts what is left',
  'test/node/close-lost.test.ts': 'measures time',
  'test/node/close.test.ts': 'measures time and subscribes to channels',
  'test/node/direct.test.ts': 'measures time and subscribes to channels',
  'test/node/engine-attacks.test.ts': 'forces garbage collections',
  'test/node/engine-endings.test.ts': 'subscribes to channels',
  'test/node/engine.test.ts': 'subscribes to channels',
  'test/node/http2-large.test.ts': 'measures memory',
  'test/node/http2.test.ts': 'measures time',
  'test/node/last-answer.test.ts': 'measures time',
  'test/node/late-body.test.ts': 'measures time',
  'test/node/limits.test.ts': 'measures time',
  'test/node/pipelines.test.ts': 'measures time',
  'test/node/signals.test.ts': 'handles signals and starts processes',
  'test/node/slow.test.ts': 'measures time',
  'test/node/stuck.test.ts': 'measures time',
  'test/node/unix.test.ts': 'starts processes',
  'test/node/uploads.test.ts': 'starts processes',
  'test/node/upgrade.test.ts': 'measures time',
  'test/node/wait-until.test.ts': 'starts processes',
  'test/otel/': 'registers an SDK for the process and listens on sockets',
  'test/pins/': 'mocks the clock',
  'test/webhooks/delivery.test.ts': 'subscribes to channels',
  'test/webhooks/forgery.test.ts': 'pretends to be a worker',
  'test/webhooks/verify.test.ts': 'mocks the clock',
  'test/pattern.test.ts': 'lists the parameter types of the process',
  'test/project/': 'starts a process',
  'test/redos.test.ts': 'measures time',
  'test/runtimes/': 'runs esbuild, starts processes and changes globals',
  'test/session/lifetime.test.ts': 'mocks the clock',
  'test/session/store.test.ts': 'mocks the clock and starts processes',
  'test/types/api-report.test.ts': 'starts a process',
  'test/upstream/failures.test.ts': 'measures time',
  'test/usage/': 'mocks the clock',
  'test/versioning/hostile-headers.test.ts': 'listens on sockets and measures time',
  'test/versioning/ranges-and-formats.test.ts': 'measures time',
}

/** The files that need tsx in their process, each with the reason. They get a process of their own as well. */
export const SOURCE: Readonly<Record<string, string>> = {
  'test/app/config.test.ts': 'imports TypeScript modules by paths that are only known at run time',
}

/** A folder in a table stands for every file below it. */
function isListed(table: Readonly<Record<string, string>>, file: string): boolean {
  return Object.keys(table).some((path) => file === path || (path.endsWith('/') && file.startsWith(path)))
}

/** How a file runs. Slow files always run alone, because they measure time and memory or use all cores. */
export function wayOf(file: string): Way {
  if (isListed(SOURCE, file)) return 'source'
  return speedOf(file) === 'slow' || isListed(OWN, file) ? 'own' : 'shared'
}
