/** How the search ranks what it finds. The functions run in the browser, so they use nothing from outside. */
export const RANKING = {
  options: {
    /** Words of one stem are one word: deprecate, deprecated and deprecation. A name is found by its parts, too: `rateLimit` by limit. */
    processTerm: (term: string): string[] => {
      const parts = term.split(/(?<=[a-z])(?=[A-Z])/)
      const stems = (parts.length > 1 ? [term, ...parts] : parts).map((part) => {
        const lower = part.toLowerCase()
        const stem = lower.replace(/(?:ions?|ings?|ed|es?|s)$/, '').replace(/(?:ions?|ings?|ed|e)$/, '')
        return stem.length < 4 ? lower : stem
      })
      return [...new Set(stems)]
    },
  },
  searchOptions: {
    prefix: true,
    fuzzy: (term: string): number | boolean => (term.length > 5 ? 0.15 : false),
    combineWith: 'AND' as const,
    boost: { title: 6, titles: 3, text: 1 },
    /**
     * Guides stand above recipes, and those above the lists of rules, codes and exports. A page stands above its parts, and so does an
     * export, which is a part of the page of its entry point.
     */
    boostDocument: (id: string, _term: string, { titles }: { readonly titles?: unknown } = {}): number => {
      const isGuide = /\/(?:guide\/|introduction)/.test(id)
      const isApi = id.includes('/api/')
      const isList = isApi || /\/(?:errors|rules)/.test(id)
      const isRecipe = /\/(?:tutorial|cookbook|security)/.test(id)
      const ofKind = [isGuide && 1, isRecipe && 0.45, isList && 0.05].find((each) => each !== false)
      const isWhole = Array.isArray(titles) && titles.length === (isApi ? 2 : 0)
      return (ofKind ?? 0.3) * (isWhole ? 1.7 : 1)
    },
  },
}
