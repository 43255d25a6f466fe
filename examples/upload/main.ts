import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createGalleryApp } from './app.ts'

const folder = await mkdtemp(join(tmpdir(), 'gallery-'))
const app = createGalleryApp(folder, { logger: false })
const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })

console.log(`The gallery listens on ${url} and stores videos in ${folder}

Try:
  curl -F album=Alps -F photos=@one.png -F photos=@two.jpg ${url}/gallery/photos
  curl -F album=Alps -F 'photos=@package.json;type=image/png' ${url}/gallery/photos      (422: it is no image)
  curl -F title=Descent -F video=@descent.mp4 ${url}/gallery/videos
  curl -F video=@descent.mp4 -F title=Descent ${url}/gallery/videos                      (422: the title comes too late)

Ctrl+C stops.`)
