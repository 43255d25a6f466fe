// Imports files and writes a list of what they call of the platform meanwhile, as JSON: watch-load.mjs FOLDER FILE...
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import dns from 'node:dns'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import timers from 'node:timers'
import { pathToFileURL } from 'node:url'

const [folder, ...files] = process.argv.slice(2)
const calls = new Set()
const write = process.stdout.write.bind(process.stdout)

/** Reports calls of a method by code in the folder, and lets them pass. */
function watch(object, name, key) {
  const original = object[key]
  if (typeof original !== 'function' || /^[A-Z]|^_/.test(key)) return
  object[key] = function (...rest) {
    // the message, this function, its caller
    if (new Error('here').stack.split('\n')[2]?.includes(folder)) calls.add(name)
    return Reflect.apply(original, this ?? object, rest)
  }
  Object.assign(object[key], original)
}

function watchAll(object, name, keys = Object.keys(object)) {
  for (const key of keys) watch(object, name === '' ? key : `${name}.${key}`, key)
}

watchAll(fs.promises, 'fs.promises')
watchAll(fs, 'fs')
watchAll(net, 'net', ['connect', 'createConnection', 'createServer'])
watchAll(dns, 'dns')
watchAll(childProcess, 'child_process')
const random = ['randomBytes', 'randomInt', 'randomUUID', 'randomFill', 'randomFillSync']
watchAll(crypto, 'crypto', [...random, 'generateKey', 'generateKeySync', 'generateKeyPairSync'])
watchAll(globalThis.crypto, 'crypto', ['getRandomValues', 'randomUUID'])
watchAll(Math, 'Math', ['random'])
const ofTimers = ['setTimeout', 'setInterval', 'setImmediate']
watchAll(timers, '', ofTimers)
watchAll(globalThis, '', [...ofTimers, 'fetch'])
syncBuiltinESMExports()

for (const file of files) await import(pathToFileURL(file).href)
write(JSON.stringify([...calls]), () => process.exit())
