import { readFile } from 'node:fs/promises'

/** The texts of the style sheets, which `scripts/build.ts` puts here. The source does not define them. */
declare const PAGE_CSS: string | undefined
declare const SWAGGER_CSS: string | undefined

/** Reads the style sheets of the page. Built code contains them, so that a bundle of an application needs no file beside it. */
export async function readStyles(): Promise<{ readonly page: string; readonly swagger: string }> {
  return {
    page: typeof PAGE_CSS === 'string' ? PAGE_CSS : await read('page.css'),
    swagger: typeof SWAGGER_CSS === 'string' ? SWAGGER_CSS : await read('swagger.css'),
  }
}

function read(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8')
}
