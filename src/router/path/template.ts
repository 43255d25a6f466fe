const templates = new Map<string, string>()

/** A pattern without the types of its parameters: `/car/{id:int}` as `/car/{id}`. Kept, because there are as many as routes. */
export function uriTemplate(pattern: string): string {
  let template = templates.get(pattern)
  if (template === undefined) {
    template = pattern.replaceAll(/\{([^{}:]*):[^{}]*\}/g, '{$1}')
    templates.set(pattern, template)
  }
  return template
}
