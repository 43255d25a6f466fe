// The API of another team. It has one version, and knows nothing of the application in front of it.
import { readFileSync } from 'node:fs'

import express from 'express'

const document = JSON.parse(readFileSync(new URL('openapi.json', import.meta.url), 'utf8'))
const cars = new Map([
  [1, { id: 1, brand: 'Ford', plate: 'B-OX 1' }],
  [2, { id: 2, brand: 'Saab', plate: 'B-OX 2' }],
  [3, { id: 3, brand: 'Ford', plate: 'B-OX 3' }],
])

const app = express()
app.use(express.json())
app.get('/api/openapi.json', (_request, response) => response.json(document))
app.get('/api/cars', ({ query }, response) => {
  const size = Number(query.size ?? 20)
  response.json([...cars.values()].slice(0, size))
})
app.get('/api/cars/:id', ({ params }, response) => {
  const car = cars.get(Number(params.id))
  if (car === undefined) response.status(404).json({ error: 'No such car' })
  else response.json(car)
})
app.post('/api/cars', ({ body }, response) => {
  const car = { id: cars.size + 1, brand: body.brand, plate: body.plate }
  cars.set(car.id, car)
  response.status(201).location(`/api/cars/${car.id}`).json(car)
})

const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const { port } = server.address()
  if (process.send === undefined) console.log(`The garage listens on http://127.0.0.1:${port}`)
  else process.send(port)
})
process.once('disconnect', () => server.close())
