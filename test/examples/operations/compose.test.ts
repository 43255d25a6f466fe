import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
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
const Monitor = z.object({ volumes: z.array(z.string()) })
const Compose = z.object({
  services: z.object({
    'api-1': Api,
    'api-2': Api,
    'api-3': Api,
    balancer: Balancer,
    prometheus: Monitor,
    grafana: Monitor,
  }),
})
const Prometheus = z.object({
  rule_files: z.array(z.string()),
  scrape_configs: z.array(
    z.object({ job_name: z.string(), static_configs: z.array(z.object({ targets: z.array(z.string()) })) }),
  ),
})
const DataSources = z.object({ datasources: z.array(z.object({ type: z.string(), url: z.url() })) })
const Dashboards = z.object({
  providers: z.array(z.object({ type: z.literal('file'), options: z.object({ path: z.string() }) })),
})

const readYaml = (name: string): unknown => parse(readFileSync(join(FOLDER, name), 'utf8'), { merge: true })

const { services } = Compose.parse(readYaml('compose.yaml'))
const instances = [services['api-1'], services['api-2'], services['api-3']]

/** The files of the folder that a container has, by the paths at which it has them. */
const toMounted = (volumes: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    volumes
      .filter((volume) => volume.startsWith('./'))
      .map((volume) => {
        const [file = '', path = ''] = volume.split(':')
        assert.ok(existsSync(join(FOLDER, file)), file)
        return [path, file] as const
      }),
  )

/** The value of a variable whose default is used: `${NAME:-default}`. */
const toDefault = (value: string): string => value.replace(/^\$\{\w+:-(.*)\}$/, '$1')

describe('the README of examples/operations', () => {
  const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8')
  const cells = [...readme.matchAll(/^\| (`[^|]+?) +\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )

  it('lists all settings and all files', () => {
    const asked: string[] = []
    readEnvironment(new Proxy({}, { get: (_target, name) => void asked.push(String(name)) }))
    const untold = ['README.md', 'Dockerfile.dockerignore', 'alerts.test.yaml']
    const files = readdirSync(FOLDER).filter((name) => !untold.includes(name))
    const expected = [
      ...asked,
      ...files.map((name) => (statSync(join(FOLDER, name)).isDirectory() ? `${name}/` : name)),
    ]
    assert.deepEqual(cells.toSorted(), expected.toSorted())
  })
})

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
    assert.equal(toMounted(volumes).size, 2)
  })

  it('has Prometheus ask all instances, past the balancer, and know the alerts', () => {
    const mounted = toMounted(services.prometheus.volumes)
    const file = mounted.get('/etc/prometheus/prometheus.yml') ?? ''
    const { rule_files: rules, scrape_configs: jobs } = Prometheus.parse(readYaml(file))
    assert.deepEqual(
      rules.map((name) => mounted.get(`/etc/prometheus/${name}`)),
      ['./alerts.yaml'],
    )
    const targets = services.balancer.environment['INSTANCES']?.split(' ')
    assert.deepEqual(jobs, [{ job_name: 'api', static_configs: [{ targets }] }])
  })

  it('has Grafana find Prometheus and the dashboard', () => {
    const mounted = toMounted(services.grafana.volumes)
    const provisioned = (kind: string): unknown =>
      readYaml(mounted.get(`/etc/grafana/provisioning/${kind}/octavo.yaml`) ?? '')
    const { datasources } = DataSources.parse(provisioned('datasources'))
    assert.deepEqual(datasources, [{ type: 'prometheus', url: 'http://prometheus:9090' }])
    const { providers } = Dashboards.parse(provisioned('dashboards'))
    const [path = ''] = providers.map(({ options }) => options.path)
    assert.equal(mounted.get(`${path}/octavo.json`), './grafana/dashboard.json')
  })
})
