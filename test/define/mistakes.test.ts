import { describe, it } from 'node:test'

import {
  createApp,
  defineModule,
  defineParamType,
  DefinitionError,
  FileStream,
  FileStreams,
  HttpRequest,
  HttpResponse,
} from 'octavo'
import type { AppOptions, Controller, DefinitionProblem, Module } from 'octavo'
import { z } from 'zod'
import { z as zod3 } from 'zod/v3'
import { assertProblems } from '../support/places.ts'
import type { ExpectedProblem } from '../support/places.ts'
import { controller, moduleOf, router } from '../support/untyped.ts'

function mistakesOf(make: () => unknown): readonly DefinitionProblem[] {
  try {
    make()
  } catch (error) {
    if (error instanceof DefinitionError) return error.errors
    throw error
  }
  return []
}

const inModule = (options: object) => () => createApp(moduleOf(options), { logger: false })
const inController = (options: object) => inModule({ controllers: [controller(options)] })
const inRoute = (options: object) =>
  inController({ name: 'CarController', routes: [{ method: 'GET', handler: () => null, ...options }] })

type Case = readonly [title: string, make: () => unknown, ...expected: readonly ExpectedProblem[]]

function table(cases: readonly Case[]): void {
  for (const [title, make, ...expected] of cases) {
    it(title, () => assertProblems(mistakesOf(make), expected))
  }
}

defineParamType({ name: 'own', pattern: /[a-z]+/ })

describe('a bad controller', () => {
  table([
    [
      'has neither a name nor a prefix',
      inController({ routes: [] }),
      {
        code: 'missing_name',
        where: 'controller without a name',
        message: 'the controller has neither a name nor a prefix',
        fix: "give it one: name: 'CarController' or prefix: '/car'",
      },
    ],
    [
      'is named only Controller',
      inController({ name: 'Controller', routes: [] }),
      {
        code: 'invalid_name',
        where: 'controller Controller',
        message: 'the name is only the word Controller',
        fix: "use letters, digits, - and _, as in 'CarController'",
      },
    ],
    [
      'has an empty name',
      inController({ name: '', routes: [] }),
      { code: 'invalid_name', where: 'controller ', message: '"" is not a name' },
    ],
    [
      'has a name with blanks',
      inController({ name: 'Car Park', routes: [] }),
      { code: 'invalid_name', where: 'controller Car Park' },
    ],
    [
      'has a name that begins with a digit',
      inRoute({ name: '2nd' }),
      {
        code: 'invalid_name',
        where: 'car.2nd: GET /car',
        fix: 'use letters, digits, - and _, and begin with a letter',
      },
    ],
    [
      'has a name that is no string',
      inController({ name: 7, routes: [] }),
      { code: 'invalid_field', where: 'controller 7', message: 'name is 7', fix: 'give a string' },
    ],
    [
      'has a prefix without slash',
      inController({ prefix: 'car', routes: [] }),
      {
        code: 'invalid_pattern',
        where: 'controller car',
        message: 'the prefix "car" does not begin with a slash',
        fix: 'write "/car"',
      },
    ],
    [
      'has a prefix that is no string',
      inController({ prefix: ['/car'], routes: [] }),
      { code: 'invalid_field', where: 'controller /car', message: 'prefix is a list of 1' },
    ],
    [
      'has no routes',
      inController({ name: 'Car' }),
      {
        code: 'invalid_field',
        where: 'controller Car',
        message: 'the controller has no routes',
        fix: "give it a list of route objects, such as [{ method: 'GET', handler }]",
      },
    ],
    [
      'has routes that are no list',
      inController({ name: 'Car', routes: {} }),
      {
        code: 'invalid_field',
        where: 'controller Car',
        message: 'routes is an empty object',
        fix: "give a list of route objects, such as [{ method: 'GET', handler }]",
      },
    ],
    [
      'has a route that is no object',
      inController({ name: 'Car', routes: [null] }),
      { code: 'invalid_field', where: 'controller Car', message: 'routes[0] is null' },
    ],
    [
      'has a misspelt field',
      inController({ name: 'Car', route: [], routes: [] }),
      {
        code: 'unknown_field',
        where: 'controller Car',
        message: 'a controller has no field "route"',
        fix: 'did you mean "routes"?',
      },
    ],
    [
      'has a field that does not exist',
      inController({ name: 'Car', colour: 'red', routes: [] }),
      { code: 'unknown_field', where: 'controller Car' },
    ],
    [
      'has a field that every object inherits',
      inController({ name: 'Car', constructor: 1, routes: [] }),
      { code: 'unknown_field', where: 'controller Car' },
    ],
    [
      'has a version that is a number',
      inController({ name: 'Car', version: 1, routes: [] }),
      {
        code: 'invalid_field',
        where: 'controller Car',
        message: 'version is 1',
        fix: "give a version as a string ('1'), a list of them, a range ('>=1 <3') or VERSION_NEUTRAL",
      },
    ],
    [
      'has an empty list of versions',
      inController({ name: 'Car', version: [], routes: [] }),
      { code: 'invalid_field', where: 'controller Car', message: 'version is an empty list' },
    ],
    [
      'has an empty version',
      inController({ name: 'Car', version: '', routes: [] }),
      { code: 'invalid_field', where: 'controller Car', message: 'version is an empty string' },
    ],
    [
      'has tags that are no list',
      inController({ name: 'Car', tags: 'cars', routes: [] }),
      {
        code: 'invalid_field',
        where: 'controller Car',
        message: 'tags is a string of 4 characters',
        fix: 'give a list of strings',
      },
    ],
    [
      'is deprecated in words',
      inController({ name: 'Car', deprecated: 'yes', routes: [] }),
      {
        code: 'invalid_field',
        where: 'controller Car',
        message: 'deprecated is "yes"',
        fix: 'give true or false',
      },
    ],
    [
      'is in the schema in words',
      inController({ name: 'Car', includeInSchema: 'no', routes: [] }),
      { code: 'invalid_field', where: 'controller Car', message: 'includeInSchema is "no"' },
    ],
    [
      'has meta that is no object',
      inController({ name: 'Car', meta: 'x', routes: [] }),
      {
        code: 'invalid_field',
        where: 'controller Car',
        message: 'meta is "x"',
        fix: "give an object, such as { 'x-internal': true }",
      },
    ],
    [
      'injects a list',
      inController({ name: 'Car', inject: [HttpRequest], routes: [] }),
      {
        code: 'invalid_field',
        where: 'controller Car',
        message: 'inject is a list of 1',
        fix: 'give tokens by key, such as { cars: CarService }',
      },
    ],
    [
      'injects what is no token',
      inController({
        name: 'CarController',
        inject: { request: 'HttpRequest' },
        routes: [{ method: 'GET', handler: () => null }],
      }),
      {
        code: 'missing_provider',
        where: 'car.get: GET /car',
        message: 'inject.request is a string of 11 characters',
        fix: 'inject a provider, a token of defineToken, or a built-in one such as HttpRequest',
      },
    ],
    [
      'injects what nothing provides',
      inController({
        name: 'CarController',
        inject: { cars: { token: 'CarService' } },
        routes: [{ method: 'GET', handler: () => null }],
      }),
      {
        code: 'missing_provider',
        where: 'car.get: GET /car',
        message: 'inject.cars needs CarService: no module provides it',
        fix: 'add bind(CarService, …) to providers of the root module, or import a module that exports CarService',
      },
    ],
    [
      'injects under a key what its route injects otherwise',
      inController({
        name: 'CarController',
        inject: { it: HttpRequest },
        routes: [{ method: 'GET', input: { inject: { it: HttpResponse } }, handler: () => null }],
      }),
      {
        code: 'duplicate_key',
        where: 'car.get: GET /car',
        message: 'inject.it is given by the controller and by the route',
        fix: 'rename one of them',
      },
    ],
  ])
})

describe('a bad route', () => {
  table([
    [
      'has no method',
      inController({ name: 'Car', routes: [{ handler: () => null }] }),
      { code: 'invalid_field', where: 'car: /car', fix: 'give it a method or a list of methods' },
    ],
    [
      'has an unknown method',
      inRoute({ method: 'FETCH' }),
      { code: 'invalid_method', where: 'car: FETCH /car', message: '"FETCH" is not a method' },
    ],
    [
      'has a method in lower case',
      inRoute({ method: 'get' }),
      { code: 'invalid_method', where: 'car: get /car' },
    ],
    [
      'has no method in its list',
      inRoute({ method: [] }),
      {
        code: 'invalid_method',
        where: 'car: /car',
        message: 'the list of methods is empty',
        fix: 'name one of GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS, TRACE',
      },
    ],
    [
      'has an unknown method in its list',
      inRoute({ method: ['GET', 'LINK'] }),
      { code: 'invalid_method', where: 'car: GET,LINK /car' },
    ],
    [
      'has a method that is no string',
      inRoute({ method: null }),
      { code: 'invalid_method', where: 'car: /car' },
    ],
    [
      'has no handler',
      inController({ name: 'Car', routes: [{ method: 'GET' }] }),
      {
        code: 'invalid_field',
        where: 'car: GET /car',
        fix: 'give it a function, such as ({ params }) => find(params.id)',
      },
    ],
    [
      'has a handler that is no function',
      inRoute({ handler: 'getOne' }),
      {
        code: 'invalid_field',
        where: 'car: GET /car',
        message: 'handler is a string of 6 characters',
        fix: 'give a function, such as ({ params }) => find(params.id)',
      },
    ],
    [
      'has a path without slash',
      inRoute({ path: 'welcome' }),
      { code: 'invalid_pattern', where: 'car: GET /car/welcome', fix: 'write "/welcome"' },
    ],
    [
      'has a path that is no string',
      inRoute({ path: 7 }),
      { code: 'invalid_field', where: 'car: GET /car', message: 'path is 7' },
    ],
    [
      'has a name with blanks',
      inRoute({ name: 'get one' }),
      { code: 'invalid_name', where: 'car.get one: GET /car' },
    ],
    ['has an empty name', inRoute({ name: '' }), { code: 'invalid_name', where: 'car.: GET /car' }],
    [
      'has a name with a dot',
      inRoute({ name: 'get.one' }),
      { code: 'invalid_name', where: 'car.get.one: GET /car' },
    ],
    ['has a name that is no string', inRoute({ name: 7 }), { code: 'invalid_field', where: 'car: GET /car' }],
    [
      'has a field that does not exist',
      inRoute({ url: '/welcome' }),
      { code: 'unknown_field', where: 'car: GET /car' },
    ],
    [
      'has a misspelt field',
      inRoute({ respons: z.string() }),
      { code: 'unknown_field', where: 'car: GET /car', fix: 'did you mean "response"?' },
    ],
    [
      'has a version with blanks',
      inRoute({ version: ' 1' }),
      {
        code: 'invalid_version',
        where: 'car.get: GET /car',
        message: 'the version " 1" has blanks',
        fix: "write version: '1'",
      },
    ],
    [
      'has a version with a blank in it',
      inRoute({ version: 'v 1' }),
      { code: 'invalid_version', where: 'car.get: GET /car' },
    ],
    [
      'has a version of 65 characters',
      inRoute({ version: '1'.repeat(65) }),
      {
        code: 'invalid_version',
        where: 'car.get: GET /car',
        message:
          'the version "1111111111111111111111111111111111111111111111111111111111111111" has more than 64 characters',
        fix: 'write it as requests name it',
      },
    ],
    [
      'has a version in a list that is a number',
      inRoute({ version: ['1', 2] }),
      { code: 'invalid_field', where: 'car: GET /car', message: 'version[1] is 2' },
    ],
    [
      'has an informational status',
      inRoute({ status: 101 }),
      {
        code: 'invalid_field',
        where: 'car: GET /car',
        message: 'status is 101',
        fix: 'give a status from 200 to 599',
      },
    ],
    [
      'has a status above 599',
      inRoute({ status: 600 }),
      { code: 'invalid_field', where: 'car: GET /car', message: 'status is 600' },
    ],
    [
      'has a status in words',
      inRoute({ status: 'created' }),
      { code: 'invalid_field', where: 'car: GET /car', message: 'status is "created"' },
    ],
    [
      'has a summary that is no string',
      inRoute({ summary: 1 }),
      { code: 'invalid_field', where: 'car: GET /car', message: 'summary is 1' },
    ],
    [
      'has a description that is no string',
      inRoute({ description: 1 }),
      { code: 'invalid_field', where: 'car: GET /car', message: 'description is 1' },
    ],
    [
      'has an operationId that is no string',
      inRoute({ operationId: 1 }),
      { code: 'invalid_field', where: 'car: GET /car', message: 'operationId is 1' },
    ],
    [
      'validates responses in a way that does not exist',
      inRoute({ validateResponses: 'strip' }),
      {
        code: 'invalid_field',
        where: 'car: GET /car',
        message: 'validateResponses is "strip"',
        fix: "give true, 'strict' or false",
      },
    ],
    [
      'has input that is no object',
      inRoute({ input: [] }),
      {
        code: 'invalid_field',
        where: 'car: GET /car',
        message: 'input is an empty list',
        fix: 'give schemas by source, such as { body: CreateCar }',
      },
    ],
    [
      'has a response that is no schema',
      inRoute({ response: 'Car' }),
      {
        code: 'invalid_field',
        where: 'car: GET /car',
        message: 'response is "Car"',
        fix: 'give a schema, or schemas by status, such as { 200: Car, 404: Problem }',
      },
    ],
    [
      'has a response by a word',
      inRoute({ response: { ok: z.string() } }),
      {
        code: 'invalid_response',
        where: 'car.get: GET /car',
        message: 'response has the status "ok"',
        fix: 'write response: Car, { 200: Car, 404: Problem } or [[200, Car], [404, Problem]] with statuses from 200 to 599, 4XX, 5XX or default',
      },
    ],
    [
      'has a response by a status above 599',
      inRoute({ response: { 600: z.string() } }),
      { code: 'invalid_response', where: 'car.get: GET /car' },
    ],
    [
      'has a status that its response leaves out',
      inRoute({ status: 201, response: { 200: z.string() } }),
      {
        code: 'invalid_response',
        where: 'car.get: GET /car',
        message: 'status is 201, which response does not declare, so results would be sent unparsed',
        fix: 'declare it, such as response: { 201: Car }, or remove status',
      },
    ],
    [
      'has schemas of zod 3, once',
      inRoute({
        input: { query: zod3.object({ id: zod3.string() }), headers: { a: zod3.string() }, body: zod3.any() },
        response: { 200: zod3.object({ id: zod3.string() }), 404: zod3.string() },
      }),
      {
        code: 'invalid_schema',
        where: 'car.get: GET /car',
        message: 'input.query is a schema of zod 3, as in 4 more places',
        fix: "import z from zod 4, which zod 3.25 has as 'zod/v4'",
      },
    ],
    [
      'has a response of zod 3',
      inRoute({ response: zod3.object({ id: zod3.string() }) }),
      {
        code: 'invalid_response',
        where: 'car.get: GET /car',
        message: 'response is a schema of zod 3',
        fix: "import z from zod 4, which zod 3.25 has as 'zod/v4'",
      },
    ],
    [
      'has a status with no schema',
      inRoute({ response: { 200: 'Car' } }),
      {
        code: 'invalid_response',
        where: 'car.get: GET /car',
        message: 'response has a string of 3 characters for the status "200"',
      },
    ],
    [
      'has a pair with no schema',
      inRoute({ response: [[200]] }),
      { code: 'invalid_response', where: 'car.get: GET /car' },
    ],
    [
      'has two pairs for a status',
      inRoute({
        response: [
          [200, z.string()],
          [200, z.number()],
        ],
      }),
      {
        code: 'invalid_response',
        where: 'car.get: GET /car',
        message: 'response declares 200 twice',
        fix: 'declare each status once',
      },
    ],
  ])
})

describe('a bad pattern', () => {
  table([
    [
      'is written as in Express',
      inRoute({ path: '/:id' }),
      {
        code: 'foreign_pattern',
        where: 'car: GET /car/:id',
        message: '":id" is not how a pattern is written here',
        fix: 'write "{id}"',
      },
    ],
    [
      'has a bare star',
      inRoute({ path: '/*' }),
      {
        code: 'foreign_pattern',
        where: 'car: GET /car/*',
        fix: 'write "{rest:path}" as the last segment',
      },
    ],
    [
      'has a named star',
      inRoute({ path: '/files/*rest' }),
      { code: 'foreign_pattern', where: 'car: GET /car/files/*rest' },
    ],
    [
      'is written as in Next.js',
      inRoute({ path: '/[id]' }),
      { code: 'foreign_pattern', where: 'car: GET /car/[id]' },
    ],
    [
      'is percent-encoded',
      inRoute({ path: '/%41' }),
      {
        code: 'foreign_pattern',
        where: 'car: GET /car/%41',
        fix: 'write the character itself instead of "%41": patterns are not percent-encoded',
      },
    ],
    [
      'has two slashes in a row',
      inRoute({ path: '/a//b' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/a//b',
        message: 'the pattern has two slashes in a row',
        fix: 'remove one',
      },
    ],
    [
      'begins with two slashes',
      inRoute({ path: '//a' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car//a',
      },
    ],
    [
      'opens a brace',
      inRoute({ path: '/{id' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/{id',
        message: '"{id" has a brace without its other half',
        fix: 'write "{name}" or "{name:type}"',
      },
    ],
    [
      'closes a brace',
      inRoute({ path: '/id}' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/id}',
      },
    ],
    [
      'has an empty parameter',
      inRoute({ path: '/{}' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/{}',
        message: '"{}" is not a parameter',
        fix: 'write "{name}" or "{name:type}"; a name has letters, digits and _, and is not __proto__',
      },
    ],
    [
      'has a parameter that begins with a digit',
      inRoute({ path: '/{1st}' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/{1st}',
      },
    ],
    [
      'names a parameter __proto__',
      inRoute({ path: '/{__proto__}' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/{__proto__}',
      },
    ],
    [
      'has two types for a parameter',
      inRoute({ path: '/{id:int:str}' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/{id:int:str}',
      },
    ],
    [
      'has an unknown type',
      inRoute({ path: '/{id:number}' }),
      {
        code: 'unknown_param_type',
        where: 'car: GET /car/{id:number}',
        message: '"{id:number}" has an unknown type',
      },
    ],
    [
      'has text after {rest:path}',
      inRoute({ path: '/{rest:path}.json' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/{rest:path}.json',
        message: '"{rest:path}.json" is not the last segment alone',
        fix: 'let "{name:path}" be the whole last segment',
      },
    ],
    [
      'has a segment after {rest:path}',
      inRoute({ path: '/{rest:path}/edit' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/{rest:path}/edit',
      },
    ],
    [
      'has two parameters side by side',
      inRoute({ path: '/{from}{to}' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/{from}{to}',
        message: '"{from}{to}" has two adjacent parameters',
        fix: 'write a text between them, as in "{from}-{to}"',
      },
    ],
    [
      'mixes a type of its own with another parameter',
      inRoute({ path: '/{a:own}-{b}' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/{a:own}-{b}',
        message: '"{a:own}-{b}" mixes a type of your own with another parameter',
        fix: 'give it a segment of its own',
      },
    ],
    [
      'names a parameter twice',
      inRoute({ path: '/{id}/{id:int}' }),
      {
        code: 'duplicate_param',
        where: 'car: GET /car/{id}/{id:int}',
        message: '"/car/{id}/{id:int}" names the parameter id twice',
        fix: 'give each parameter a name of its own',
      },
    ],
    [
      'names a parameter of the prefix again',
      inController({ prefix: '/{id}', routes: [{ method: 'GET', path: '/{id}', handler: () => null }] }),
      {
        code: 'duplicate_param',
        where: 'GET /{id}/{id}',
      },
    ],
    [
      'has a query',
      inRoute({ path: '/a?b' }),
      {
        code: 'invalid_pattern',
        where: 'car: GET /car/a?b',
        message: '"a?b" can never be a path segment',
        fix: 'remove it from the path',
      },
    ],
    ['has a fragment', inRoute({ path: '/a#b' }), { code: 'invalid_pattern', where: 'car: GET /car/a#b' }],
    ['has a backslash', inRoute({ path: '/a\\b' }), { code: 'invalid_pattern', where: 'car: GET /car/a\\b' }],
    [
      'has a dot segment',
      inRoute({ path: '/../a' }),
      { code: 'invalid_pattern', where: 'car: GET /car/../a' },
    ],
    [
      'is a prefix',
      inController({ prefix: '/:org', routes: [{ method: 'GET', path: '/a', handler: () => null }] }),
      {
        code: 'foreign_pattern',
        where: 'controller /:org',
        fix: 'write "{org}"',
      },
    ],
    [
      'is the prefix of a controller without routes',
      inController({ prefix: '/:org', routes: [] }),
      { code: 'foreign_pattern', where: 'controller /:org' },
    ],
    [
      'is the prefix of a module',
      inModule({ prefix: 'api', controllers: [controller({ prefix: '/', routes: [] })] }),
      { code: 'invalid_pattern', where: 'the root module', fix: 'write "/api"' },
    ],
    [
      'has several mistakes',
      inRoute({ path: '/:id/{x:foo}/*' }),
      {
        code: 'foreign_pattern',
        where: 'car: GET /car/:id/{x:foo}/*',
      },
      {
        code: 'unknown_param_type',
        where: 'car: GET /car/:id/{x:foo}/*',
      },
      {
        code: 'foreign_pattern',
        where: 'car: GET /car/:id/{x:foo}/*',
      },
    ],
  ])
})

describe('bad input', () => {
  table([
    [
      'has a source that does not exist',
      inRoute({ input: { headers: ['a'], param: ['id'] } }),
      {
        code: 'unknown_source',
        where: 'car.get: GET /car',
        message: 'input.param is not a source',
        fix: 'use one of params, query, headers, cookies, body, form, files, inject',
      },
    ],
    [
      'has both body and form',
      inRoute({ input: { body: z.string(), form: ['a'] } }),
      {
        code: 'conflicting_sources',
        where: 'car.get: GET /car',
        message: 'input has both body and form',
        fix: 'keep one: a request has one body',
      },
    ],
    [
      'has a file in its form',
      inRoute({ input: { form: { a: z.file() } } }),
      {
        code: 'nested_field',
        where: 'car.get: GET /car',
        message: 'input.form.a holds objects or lists of lists',
        fix: 'send nested data as a JSON body; files belong to input.files',
      },
    ],
    [
      'has both body and files',
      inRoute({ input: { body: z.string(), files: { a: z.file() } } }),
      { code: 'conflicting_sources', where: 'car.get: GET /car' },
    ],
    [
      'has a list of names for files',
      inRoute({ input: { files: ['a'] } }),
      {
        code: 'invalid_schema',
        where: 'car.get: GET /car',
        message: 'input.files is a list of 1',
        fix: 'write a record of schemas or a zod schema: { name: z.file() } or z.object({ … })',
      },
    ],
    [
      'has a file that is no schema',
      inRoute({ input: { files: { a: 'file' } } }),
      {
        code: 'invalid_schema',
        where: 'car.get: GET /car',
        message: 'input.files.a is a string of 4 characters',
        fix: 'write a schema, such as z.file()',
      },
    ],
    [
      'has a text among its files',
      inRoute({ input: { files: z.object({ a: z.array(z.string()) }) } }),
      {
        code: 'invalid_schema',
        where: 'car.get: GET /car',
        message: 'input.files.a takes no file',
        fix: 'write z.file(), z.array(z.file()) or z.instanceof(FileStream); texts go to input.form',
      },
    ],
    [
      'has two files that are read as they arrive',
      inRoute({
        input: {
          files: { a: z.instanceof(FileStream), b: z.file(), c: z.instanceof(FileStreams).optional() },
        },
      }),
      {
        code: 'several_streams',
        where: 'car.get: GET /car',
        message: 'input.files reads a and c as they arrive',
        fix: 'keep one as FileStream and make the others z.file(), sent before it',
      },
    ],
    [
      'has a list of files that are read as they arrive',
      inRoute({ input: { files: { a: z.array(z.instanceof(FileStream).refine(() => true)) } } }),
      {
        code: 'several_streams',
        where: 'car.get: GET /car',
        message: 'input.files.a is a list of files that are read as they arrive',
        fix: 'write z.instanceof(FileStreams), which returns them one after the other',
      },
    ],
    [
      'has a field that is no schema',
      inRoute({ input: { query: { limit: 10, sort: z.string() } } }),
      {
        code: 'invalid_schema',
        where: 'car.get: GET /car',
        message: 'input.query.limit is 10',
        fix: "write a schema, such as z.string(), or list the names: query: ['limit']",
      },
    ],
    [
      'has a source that is a schema for one value',
      inRoute({ input: { query: z.number().optional() } }),
      {
        code: 'invalid_schema',
        where: 'car.get: GET /car',
        message: 'input.query is a schema for one value, and query hold values by name',
        fix: 'name the field: query: { name: z.number() }',
      },
    ],
    [
      'has files that are one file',
      inRoute({ method: 'POST', input: { files: z.file() } }),
      { code: 'invalid_schema', where: 'car.post: POST /car' },
    ],
    [
      'has a source that is no schema',
      inRoute({ input: { query: 'limit' } }),
      {
        code: 'invalid_schema',
        where: 'car.get: GET /car',
        message: 'input.query is a string of 5 characters',
        fix: "write a schema, a record of schemas or a list of names: z.object({ … }), { name: z.string() } or ['name']",
      },
    ],
    [
      'has a list of names that are no strings',
      inRoute({ input: { query: ['a', 1] } }),
      {
        code: 'invalid_schema',
        where: 'car.get: GET /car',
        message: 'input.query is a list of 2',
      },
    ],
    [
      'has a body that is a record of schemas',
      inRoute({ input: { body: { name: z.string() } } }),
      {
        code: 'invalid_schema',
        where: 'car.get: GET /car',
        message: 'input.body is an object with name',
        fix: 'write a zod schema, such as z.object({ … })',
      },
    ],
    [
      'has a body that is a list of names',
      inRoute({ input: { body: ['name'] } }),
      { code: 'invalid_schema', where: 'car.get: GET /car', message: 'input.body is a list of 1' },
    ],
    [
      'declares a parameter that the pattern lacks',
      inRoute({ input: { params: ['id'] }, path: '/{car_id}' }),
      {
        code: 'unknown_param',
        where: 'car.getByCarId: GET /car/{car_id}',
        message: 'input.params.id is not in the pattern "/car/{car_id}"',
        fix: 'add {id} to the path, or remove the field',
      },
    ],
    [
      'has an object in the query',
      inRoute({ input: { query: { filter: z.object({ a: z.string() }) } } }),
      { code: 'nested_field', where: 'car.get: GET /car' },
    ],
    [
      'has a record in the query',
      inRoute({ input: { query: { filter: z.record(z.string(), z.string()) } } }),
      { code: 'nested_field', where: 'car.get: GET /car' },
    ],
    [
      'has a list of objects in the query',
      inRoute({ input: { query: { f: z.array(z.object({})) } } }),
      { code: 'nested_field', where: 'car.get: GET /car' },
    ],
    [
      'has a list of lists in the query',
      inRoute({ input: { query: { f: z.array(z.array(z.string())) } } }),
      { code: 'nested_field', where: 'car.get: GET /car' },
    ],
    [
      'has an optional object in the headers',
      inRoute({ input: { headers: { a: z.object({}).optional() } } }),
      { code: 'nested_field', where: 'car.get: GET /car' },
    ],
    [
      'has an object in the cookies',
      inRoute({ input: { cookies: { a: z.object({}) } } }),
      { code: 'nested_field', where: 'car.get: GET /car' },
    ],
    [
      'has an object in the form',
      inRoute({ input: { form: { a: z.object({}) } } }),
      { code: 'nested_field', where: 'car.get: GET /car' },
    ],
    [
      'has an object in the params',
      inRoute({ path: '/{a}', input: { params: { a: z.object({}) } } }),
      {
        code: 'nested_field',
        where: 'car.getByA: GET /car/{a}',
      },
    ],
    [
      'has a list in the params',
      inRoute({ path: '/{a}', input: { params: { a: z.array(z.string()) } } }),
      {
        code: 'list_field',
        where: 'car.getByA: GET /car/{a}',
        message: 'input.params.a is a list, and params hold one value each',
        fix: 'declare one value, or split the text with z.preprocess',
      },
    ],
    [
      'has a list in the cookies',
      inRoute({ input: { cookies: { a: z.set(z.string()).optional() } } }),
      { code: 'list_field', where: 'car.get: GET /car' },
    ],
    [
      'names a field twice',
      inRoute({ input: { query: ['a', 'b', 'a', 'a'] } }),
      {
        code: 'duplicate_param',
        where: 'car.get: GET /car',
        message: 'input.query lists a twice',
      },
    ],
    [
      'reads a header twice',
      inRoute({ input: { headers: ['userAgent', 'user_agent'] } }),
      {
        code: 'duplicate_param',
        where: 'car.get: GET /car',
        message: 'input.headers.user_agent reads the header user-agent, which another field reads too',
      },
    ],
    [
      'injects what is no token',
      inRoute({ input: { inject: { request: {} } } }),
      {
        code: 'missing_provider',
        where: 'car.get: GET /car',
        message: 'inject.request is an empty object',
      },
    ],
    [
      'injects what nothing provides',
      inRoute({ input: { inject: { cars: { token: 'CarService' } } } }),
      { code: 'missing_provider', where: 'car.get: GET /car' },
    ],
    [
      'injects a list',
      inRoute({ input: { inject: [HttpRequest] } }),
      {
        code: 'invalid_field',
        where: 'car.get: GET /car',
        message: 'input.inject is a list of 1',
        fix: 'write inject: { request: HttpRequest }',
      },
    ],
    [
      'injects no record',
      inRoute({ input: { inject: 'request' } }),
      {
        code: 'invalid_field',
        where: 'car.get: GET /car',
        message: 'input.inject is a string of 7 characters',
      },
    ],
  ])
})

describe('a bad module', () => {
  const looped: Controller<string, string, readonly []>[] = []
  const loop = router({ prefix: '/loop', routers: looped })
  looped.push(loop)

  table([
    [
      'is no module',
      () => createApp(controller({ name: 'Car', routes: [] }) as unknown as Module<unknown, unknown>),
      {
        code: 'invalid_field',
        where: 'createApp',
        message: 'the root module is the controller Car',
        fix: 'write createApp(defineModule({ controllers: [carController] }))',
      },
    ],
    [
      'is nothing',
      () => createApp(undefined as unknown as Module<unknown, unknown>),
      { code: 'invalid_field', where: 'createApp' },
    ],
    [
      'has a field that does not exist',
      inModule({ name: 'App', routes: [] }),
      { code: 'unknown_field', where: 'App', fix: 'did you mean "routers"?' },
    ],
    [
      'has a misspelt field',
      inModule({ name: 'App', controller: [] }),
      { code: 'unknown_field', where: 'App', fix: 'did you mean "controllers"?' },
    ],
    [
      'has a version that is no string',
      inModule({ name: 'App', version: 2 }),
      { code: 'invalid_field', where: 'App', message: 'version is 2' },
    ],
    [
      'imports what is no module',
      inModule({ name: 'App', imports: [{}] }),
      {
        code: 'invalid_import',
        where: 'App',
        message: 'imports[0] is an empty object, not a module',
        fix: 'pass the result of defineModule, or a promise of it',
      },
    ],
    [
      'lists a plain object as controller',
      inModule({ name: 'App', controllers: [{ name: 'Car', routes: [] }] }),
      {
        code: 'invalid_field',
        where: 'App',
        message: 'controllers[0] is an object with name, routes',
        fix: 'give a list of what defineController returns, such as [carController]',
      },
    ],
    [
      'lists a router as controller',
      inModule({ controllers: [router({ name: 'Car' })] }),
      {
        code: 'invalid_field',
        where: 'the root module',
        message: 'controllers[0] is the router Car',
      },
    ],
    [
      'lists a controller as router',
      inModule({ routers: [controller({ name: 'Car', routes: [] })] }),
      {
        code: 'invalid_field',
        where: 'the root module',
        message: 'routers[0] is the controller Car',
        fix: 'give a list of what defineRouter returns, such as [adminRouter]',
      },
    ],
    [
      'has a router that injects',
      inModule({ routers: [router({ name: 'Car', inject: {} })] }),
      { code: 'unknown_field', where: 'router Car' },
    ],
    [
      'has a router with neither name nor prefix',
      inModule({ routers: [router({})] }),
      { code: 'missing_name', where: 'router without a name' },
    ],
    [
      'has a router that contains itself',
      inModule({ routers: [loop] }),
      {
        code: 'circular_router',
        where: 'router /loop',
        message: 'the router contains itself',
        fix: 'remove it from its own routers',
      },
    ],
    [
      'has a router that holds a controller',
      inModule({ routers: [router({ name: 'a', routers: [controller({ name: 'b', routes: [] })] })] }),
      { code: 'invalid_field', where: 'router a', message: 'routers[0] is the controller b' },
    ],
  ])
})

describe('names given twice', () => {
  const get = { method: 'GET', name: 'one', handler: () => null }
  table([
    [
      'are refused for two paths',
      inController({
        name: 'Car',
        routes: [
          { ...get, path: '/a' },
          { ...get, path: '/b' },
        ],
      }),
      {
        code: 'duplicate_name',
        where: 'car.one: GET /car/b',
        message: 'car.one: GET /car/a has the same name',
        fix: 'give one of them another name; only versions of one route may share it',
      },
    ],
    [
      'are refused for two methods of a path in one version',
      inController({ name: 'Car', routes: [get, { ...get, method: 'PUT' }] }),
      { code: 'duplicate_name', where: 'car.one: PUT /car' },
    ],
    [
      'are refused for versions that overlap',
      inController({
        name: 'Car',
        routes: [
          { ...get, path: '/a', version: ['1', '2'] },
          { ...get, path: '/b', version: '2' },
        ],
      }),
      { code: 'duplicate_name', where: 'car.one: GET /car/b' },
    ],
    [
      'are refused between controllers of one name',
      inModule({
        controllers: [
          controller({ name: 'Car', routes: [get] }),
          controller({ name: 'CarController', prefix: '/cars', routes: [get] }),
        ],
      }),
      { code: 'duplicate_name', where: 'car.one: GET /cars' },
    ],
    [
      'are legal between versions of one route',
      inController({
        name: 'Car',
        routes: [
          { ...get, version: '1' },
          { ...get, version: '2' },
        ],
      }),
    ],
    [
      'are legal between a version and none',
      inController({ name: 'Car', routes: [get, { ...get, version: '2' }] }),
    ],
  ])
})

describe('mistakes of which there are several', () => {
  table([
    [
      'come together, whatever they are in',
      () =>
        createApp(
          moduleOf({
            name: 'AppModule',
            colour: 'red',
            imports: [moduleOf({ name: 'CarModule', imports: [], routes: [] })],
            controllers: [
              controller({ routes: [] }),
              controller({
                name: 'CarController',
                colour: 'red',
                inject: { cars: { token: 'CarService' } },
                routes: [
                  { method: 'GET', path: '/:id', handler: () => null },
                  { method: ['GET', 'get'], path: '/a', status: 7, handler: () => null },
                  {
                    method: 'GET',
                    name: 'a b',
                    version: ' 1',
                    input: { query: { limit: 10 }, params: ['id'], cookie: ['a'] },
                    response: { 200: 'Car' },
                    handler: () => null,
                  },
                ],
              }),
            ],
          }),
          { logger: false, colour: 'red' } as AppOptions,
        ),
      { code: 'unknown_option', where: 'createApp' },
      { code: 'unknown_field', where: 'AppModule' },
      { code: 'unknown_field', where: 'CarModule', fix: 'did you mean "routers"?' },
      { code: 'missing_name', where: 'controller without a name' },
      { code: 'unknown_field', where: 'controller CarController' },
      { code: 'foreign_pattern', where: 'car: GET /car/:id' },
      { code: 'invalid_field', where: 'car: GET,get /car/a', message: 'status is 7' },
      { code: 'invalid_method', where: 'car: GET,get /car/a' },
      { code: 'invalid_name', where: 'car.a b: GET /car' },
      { code: 'invalid_version', where: 'car.a b: GET /car' },
      { code: 'unknown_source', where: 'car.a b: GET /car' },
      { code: 'unknown_param', where: 'car.a b: GET /car' },
      { code: 'invalid_schema', where: 'car.a b: GET /car' },
      { code: 'invalid_response', where: 'car.a b: GET /car' },
      { code: 'missing_provider', where: 'car.a b: GET /car' },
    ],
  ])
})

describe('a bad option of createApp', () => {
  const withOption = (options: object) => () => createApp(defineModule({}), options as AppOptions)
  table([
    ['does not exist', withOption({ colour: 'red' }), { code: 'unknown_option', where: 'createApp' }],
    [
      'is misspelt',
      withOption({ bodylimit: 10 }),
      { code: 'unknown_option', where: 'createApp', fix: 'did you mean "bodyLimit"?' },
    ],
    ...(
      [
        ['globalGuards', 'guards'],
        ['globalInterceptors', 'interceptors'],
        ['globalPrefix', 'prefix'],
        ['Guard', 'guards'],
        ['errorHandler', 'errorHandlers'],
        ['timeout', 'timeouts'],
        ['validate', 'validateResponses'],
      ] as const
    ).map(([name, meant]): Case => [
      `is called ${name}`,
      withOption({ [name]: [] }),
      {
        code: 'unknown_option',
        where: 'createApp',
        fix: `did you mean "${meant}"?`,
      },
    ]),
    [
      'is inherited by every object',
      withOption({ toString: 1 }),
      { code: 'unknown_option', where: 'createApp' },
    ],
    [
      'is a prefix without slash',
      withOption({ prefix: 'api' }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'prefix is "api"',
        fix: "give a path of literal segments, such as '/api'",
      },
    ],
    [
      'is a prefix with a parameter',
      withOption({ prefix: '/{org}' }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'prefix is "/{org}"',
      },
    ],
    [
      'is an unknown way with trailing slashes',
      withOption({ trailingSlash: 'remove' }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'trailingSlash is "remove"',
        fix: "give 'ignore', 'strict' or 'redirect'",
      },
    ],
    [
      'is a body limit with a unit',
      withOption({ bodyLimit: '1mb' }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'bodyLimit is "1mb"',
        fix: 'give a number of bytes, such as 1_048_576',
      },
    ],
    [
      'is a negative body limit',
      withOption({ bodyLimit: -1 }),
      { code: 'invalid_option', where: 'createApp', message: 'bodyLimit is -1' },
    ],
    [
      'trusts a proxy by address',
      withOption({ trustProxy: '10.0.0.1/33' }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'trustProxy is "10.0.0.1/33"',
        fix: "give true, false, a number of proxies, addresses, ranges such as '10.0.0.0/8', or 'loopback', 'link-local', 'private'",
      },
    ],
    [
      'validates responses in a way that does not exist',
      withOption({ validateResponses: 'strip' }),
      { code: 'invalid_option', where: 'createApp' },
    ],
    [
      'is a logger without methods',
      withOption({ logger: {} }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'logger is an empty object',
        fix: 'give false or an object with debug, info, warn and error, such as pino()',
      },
    ],
    [
      'is a timeout that does not exist',
      withOption({ timeouts: { connect: 1 } }),
      { code: 'unknown_option', where: 'createApp' },
    ],
    [
      'is a limit with a typo',
      withOption({ limits: { parameter: 1 } }),
      { code: 'unknown_option', where: 'createApp', fix: 'did you mean "parameters"?' },
    ],
    [
      'is a limit below 0',
      withOption({ limits: { url: -1 } }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'limits.url is -1',
        fix: 'give a whole number, 0 or more',
      },
    ],
    [
      'is a number in the place of timeouts',
      withOption({ timeouts: 5000 }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'timeouts is 5000',
        fix: 'give an object with milliseconds for headers, request, idle, send, handler, grace, drain',
      },
    ],
    [
      'is a timeout with a unit',
      withOption({ timeouts: { idle: '5s' } }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'timeouts.idle is "5s"',
        fix: 'give a whole number of milliseconds',
      },
    ],
    [
      'is versioning without a scheme',
      withOption({ versioning: {} }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'versioning has no scheme',
        fix: 'give { scheme: VersioningSchemes.URL, … } with the options of the scheme',
      },
    ],
    [
      'is versioning in a list',
      withOption({ versioning: ['URL'] }),
      {
        code: 'invalid_option',
        where: 'createApp',
        message: 'versioning is a list of 1',
        fix: 'give { scheme: VersioningSchemes.URL, … } with the options of the scheme',
      },
    ],
  ])
})
