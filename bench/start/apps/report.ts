import { writeSync } from 'node:fs'

/** Tells the parent that the server listens; in a memory run, what it takes then, and once every route has answered. */
export async function report(port = 0): Promise<void> {
  if (process.argv[3] !== 'memory') {
    writeSync(1, 'listening\n')
    return
  }
  const started = await measure()
  const { exercise } = await import('./exercise.js')
  await exercise(port)
  writeSync(1, `${JSON.stringify({ started, used: await measure() })}\n`)
}

async function measure(): Promise<object> {
  for (let times = 0; times < 3; times++) {
    globalThis.gc?.()
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}
