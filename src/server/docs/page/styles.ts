import { readFile } from 'node:fs/promises'

/** The texts of the style sheets, which `scripts/build.ts` puts here. The source does not define them. */
declare const PAGE_CSS: string | undefined
declare const SCALAR_CSS: string | undefined
declare const SWAGGER_CSS: string | undefined

/** The style sheets of the page, and what is changed in those of the viewers. */
export interface Styles {
  readonly page: string
  readonly scalar: string
  readonly swagger: string
}

/** Reads the style sheets of the page. Built code contains them, so that a bundle of an application needs no file beside it. */
export async function readStyles(): Promise<Styles> {
  return {
    page: typeof PAGE_CSS === 'string' ? PAGE_CSS : await read('page.css'),
    scalar: typeof SCALAR_CSS === 'string' ? SCALAR_CSS : await read('scalar.css'),
    swagger: typeof SWAGGER_CSS === 'string' ? SWAGGER_CSS : await read('swagger.css'),
  }
}

function read(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8')
}
