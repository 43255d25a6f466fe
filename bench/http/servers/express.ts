import type { AddressInfo } from 'node:net'

import express from 'express'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { z } from 'zod'

import type { Serve } from '../contestants.ts'
import { CATALOGUE, TOKEN } from '../scenarios.ts'
import { CarPath, CarQuery, NewCar } from '../schemas.ts'

const hasToken: RequestHandler = (request, response, next) => {
  if (request.get('authorization') === TOKEN) next()
  else response.status(401).json({ error: 'Unauthorized' })
}

const showGarage: RequestHandler = (request, response, next) => {
  switch (request.get('x-api-version')) {
    case '1':
      response.json({ version: 1 })
      break
    case '2':
      response.json({ version: 2, doors: ['left', 'right'] })
      break
    default:
      next()
  }
}

// Express knows an error handler by its four parameters
const onError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (error instanceof z.ZodError) response.status(422).json({ error: 'Invalid', issues: error.issues })
  else next(error)
}

/** Documented at https://expressjs.com/en/5x/api.html; it leaves validation to its users, who give zod the input. */
export const serve: Serve = () => {
  const app = express()
  app.use(express.json())
  app.get('/hello', (_request, response) => {
    response.json({ hello: 'world' })
  })
  app.get('/cars/:id', (request, response) => {
    const { id } = CarPath.parse(request.params)
    response.json({ id, name: `Car ${id}` })
  })
  app.get('/cars', (request, response) => {
    response.json(CarQuery.parse(request.query))
  })
  app.post('/cars', (request, response) => {
    response.status(201).json({ id: 1, ...NewCar.parse(request.body) })
  })
  app.get('/garage', showGarage)
  app.get('/catalogue', (_request, response) => {
    response.json(CATALOGUE)
  })
  app.get('/private', hasToken, (_request, response) => {
    response.json({ user: 'Ann' })
  })
  app.use(onError)

  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
