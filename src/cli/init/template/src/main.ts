import { app } from './app.ts'

const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
console.log(`Try ${url}/v1/books, ${url}/v2/books and ${url}/docs`)
