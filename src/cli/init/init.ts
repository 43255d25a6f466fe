import { mkdir, readdir } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'

import { failure, FORMAT, say, usageError, sayStyle, toWord, type Command, type Step } from '../command.ts'
import { writeFiles } from '../write-file.ts'
import { addInside } from './add-inside.ts'
import { isPackageName, packedOrigin, projectFiles, toPackageName } from './project.ts'

/** The entries that a folder may contain and still count as empty. */
const NOTHING = ['.git', '.DS_Store']

export const init: Command = {
  summary: 'create a project, or add versions to an app',
  usage: '[folder] [options]',
  about: [
    'Creates a TypeScript project with one resource, a change between its two versions, tests, documents and a workflow that checks them.',
    'Start it with npm install and npm start.',
    'With --inside, adds an older version to an app of Hono, Express, Fastify or NestJS, and prints the line that the app needs.',
  ],
  examples: ['octavo init garage', 'octavo init . --name @acme/garage', 'octavo init --inside'],
  positionals: 1,
  options: {
    name: { value: '<name>', about: 'the name of the package (from the folder)' },
    inside: { about: 'add versions to the app in the folder' },
    force: { about: 'use a folder that is not empty, and replace files of the same names' },
    format: FORMAT,
  },
  run: async (given, setting) => {
    const { cwd, main, manifest } = setting
    const folder = resolve(cwd, given.positionals[0] ?? '.')
    if (given.has('inside')) {
      if (given.has('name')) throw usageError('--name names a new project, and --inside adds to one')
      return addInside(folder, given.has('force'), setting)
    }
    const name = given.value('name') ?? toPackageName(basename(folder))
    if (!isPackageName(name))
      throw usageError(`--name ${name} is not a valid npm package name`, `try ${toPackageName(name)}`)
    if (!given.has('force')) await failIfUsed(folder)
    const origin = packedOrigin(main, folder)
    const files = Object.entries(projectFiles(main, { name, manifest, origin }))
    await writeFiles(files.map(([path, text]) => ({ path: join(folder, path), text })))
    const place = relative(cwd, folder)
    const { green, bold, cyan } = sayStyle()
    const enter = place === '' ? [] : [{ text: 'enter the folder', run: `cd ${toWord(place)}` }]
    const next: readonly (Step & { readonly run: string })[] = [
      ...enter,
      { text: 'install the packages', run: 'npm install' },
      { text: 'start the app', run: 'npm start' },
    ]
    say(
      [
        `${green('Created')} ${bold(name)} in ${place === '' ? 'this folder' : place}:`,
        ...files.map(([path]) => `  ${path}`),
        '',
        'Next:',
        ...next.map(({ run }) => cyan(`  ${run}`)),
      ].join('\n'),
    )
    return { result: { name, folder: place, files: files.map(([path]) => path) }, next }
  },
}

/** @throws `CommandError` for a folder that is not empty. */
async function failIfUsed(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    const used = (await readdir(folder)).filter((name) => !NOTHING.includes(name))
    if (used.length === 0) return
    const more = used.length > 3 ? ` and ${used.length - 3} more` : ''
    throw failure(
      `${folder} is not empty: it contains ${used.slice(0, 3).join(', ')}${more}`,
      'use a new folder, or pass --force to replace files of the same names',
    )
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw failure(`${folder} cannot be used: ${error.message}`)
  }
}
