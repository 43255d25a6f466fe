import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { parse } from 'yaml'
import { z } from 'zod'

import { readEnvironment, Settings } from '../../../examples/operations/settings.ts'

const FOLDER = join(import.meta.dirname, '../../../examples/operations')

const Environment = z.record(z.string(), z.coerce.string())
const Api = z.object({
  build: z.object({ context: z.string(), dockerfile: z.string() }),
  environment: Environment,
  healthcheck: z.object({ test: z.array(z.string()) }),
  stop_grace_period: z.string(),
})
const Balancer = z.object({ environment: Environment, volumes: z.array(z.string()) })
const Compose = z.object({
  services: z.object({ 'api-1': Api, 'api-2': Api, 'api-3': Api, balancer: Balancer }),
})

const { services } = Compose.parse(parse(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8'), { merge: true }))
const instances = [services['api-1'], services['api-2'], services['api-3']]

/** The value of a variable whose default is used: `${NAME:-default}`. */
const toDefault = (value: string): string => value.replace(/^\$\{\w+:-(.*)\}$/, '$1')

describe('the compose file of examples/operations', () => {
  it('gives all instances the settings that they need', () => {
    for (const { environment } of instances) {
      const env = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, toDefault(value)]),
      )
      const { error, data } = Settings.safeParse(readEnvironment(env))
      assert.equal(error, undefined)
      assert.deepEqual(
        [...(data?.clients ?? [])],
        [
          ['acme-key', 'acme'],
          ['globex-key', 'globex'],
        ],
      )
    }
  })

  it('waits longer than an instance drains and ends', () => {
    const app = readFileSync(join(FOLDER, 'app.ts'), 'utf8')
    const drain = Number(/drain: ([\d_]+)/.exec(app)?.[1]?.replaceAll('_', ''))
    const grace = 10_000
    for (const { stop_grace_period: time } of instances)
      assert.ok(Number.parseInt(time, 10) * 1000 > drain + 2 * grace)
  })

  it('has nginx ask all instances, and fills in each variable of its configuration', () => {
    const { environment, volumes } = services.balancer
    assert.equal(environment['INSTANCES'], 'api-1:3000 api-2:3000 api-3:3000')
    const template = readFileSync(join(FOLDER, 'nginx/orders.conf.template'), 'utf8')
    for (const [, name = ''] of template.matchAll(/\$\{(\w+)\}/g)) assert.ok(name in environment, name)
    for (const volume of volumes) assert.ok(existsSync(join(FOLDER, volume.split(':')[0] ?? '')), volume)
  })
})
