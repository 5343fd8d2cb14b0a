// Options of the search. The functions also run in the browser, where they know nothing outside of themselves.

export const searchOptions = {
  miniSearch: {
    options: {
      /** Leaves out words that say nothing about the topic of a question. */
      processTerm(term: string): string | null {
        const word = term.toLowerCase()
        const isCommon =
          /^(?:an?|and|are|can|do(?:es)?|for|from|how|i|in|is|its?|me|my|of|on|or|that|the|this|to|what|when|where|which|who|why|with|you|your)$/
        return isCommon.test(word) ? null : word
      }
    },
    searchOptions: {
      fuzzy: 0.1,
      prefix: true,
      boost: { title: 4, titles: 2, text: 1 },
      /** Ranks guides before the pages that are generated or for contributors. */
      boostDocument(id: string): number {
        return /^\/(?:tools\/|adr\/|architecture|bench|CHANGELOG|CONTRIBUTING|self-starting)/.test(id) ? 0.3 : 1
      }
    }
  }
}
