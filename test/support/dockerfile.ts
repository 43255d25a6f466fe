import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, join, posix } from 'node:path'

interface Instruction {
  readonly name: string
  readonly text: string
}

/** A stage of a build: its file system is a folder. */
export interface Stage {
  readonly root: string
  folder: string
  user: string
  readonly env: Record<string, string>
  readonly ports: string[]
  command: readonly string[]
  check: string
}

/** What a build needs besides its Dockerfile. */
export interface Build {
  /** The folder of the files that are copied. */
  readonly context: string
  /** Where the file systems of the stages are created. */
  readonly folder: string
  /** Whether a path of the context stays out of the build. */
  readonly isIgnored: (path: string) => boolean
  /** Does what a command of the build does. */
  readonly run: (command: string, stage: Stage) => void
}

function parse(dockerfile: string): readonly Instruction[] {
  return dockerfile
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', text = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
      return { name, text }
    })
}

/** The place of a path of a stage. */
export const inStage = (stage: Stage, path: string): string =>
  join(stage.root, posix.resolve(stage.folder, path))

/** Copies as Docker does: from the project without what it ignores, or from an earlier stage. */
function copy(
  stage: Stage,
  text: string,
  { context, isIgnored }: Build,
  stages: ReadonlyMap<string, Stage>,
): void {
  const words = text.split(' ')
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = paths.pop() ?? ''
  const source = from === undefined ? undefined : stages.get(from)
  assert.ok(from === undefined || source, `there is no stage ${from}`)
  for (const path of paths) {
    if (source === undefined) assert.ok(!isIgnored(path.replace(/^\.\//, '')), `${path} is ignored`)
    const origin = source === undefined ? join(context, path) : join(source.root, path)
    assert.ok(existsSync(origin), `COPY finds no ${path}`)
    // of a folder, what is in it is copied
    const isInto = target.endsWith('/') && !statSync(origin).isDirectory()
    const into = isInto ? posix.join(target, basename(path)) : target
    cpSync(origin, inStage(stage, into), { recursive: true, verbatimSymlinks: true })
  }
}

/** Executes a Dockerfile without Docker, and returns its last stage. */
export function buildImage(dockerfile: string, build: Build): Stage {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const { name, text } of parse(dockerfile)) {
    if (name === 'FROM') {
      const [image = '', , alias = 'last'] = text.split(' ')
      assert.match(image, /^node:\d+-alpine$/)
      const root = join(build.folder, `stage-${alias}`)
      stage = { root, folder: '/', user: 'root', env: {}, ports: [], command: [], check: '' }
      stages.set(alias, stage)
      continue
    }
    assert.ok(stage, `${name} stands before FROM`)
    if (name === 'WORKDIR') {
      stage.folder = posix.resolve(stage.folder, text)
      mkdirSync(inStage(stage, '.'), { recursive: true })
    } else if (name === 'COPY') copy(stage, text, build, stages)
    else if (name === 'RUN') build.run(text, stage)
    else if (name === 'ENV') {
      const [key = '', value = ''] = text.split('=')
      stage.env[key] = value
    } else if (name === 'USER') stage.user = text
    else if (name === 'EXPOSE') stage.ports.push(text)
    else if (name === 'HEALTHCHECK') stage.check = text
    else if (name === 'CMD') stage.command = JSON.parse(text)
    else assert.fail(`the test does not know ${name}`)
  }
  assert.ok(stage)
  return stage
}
