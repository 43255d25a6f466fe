import { createJwtApp } from './app.ts'

const url = await createJwtApp({ logger: false }).listen({ port: Number(process.env['PORT'] ?? 3000) })

console.log(`The JWT example listens on ${url}

Try:
  curl -i ${url}/car                                   (401: what to send)
  TOKEN=$(curl -s -X POST -u bob:bob-secret ${url}/login | sed 's/.*:"\\(.*\\)".*/\\1/')
  curl -H "Authorization: Bearer $TOKEN" ${url}/car
  curl -X DELETE -H "Authorization: Bearer $TOKEN" ${url}/car/7    (403: bob may not sell; ann, with ann-secret, may)
  curl ${url}/login/keys                               (the public keys)

Ctrl+C stops.`)
