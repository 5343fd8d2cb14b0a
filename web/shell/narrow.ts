// Follows whether the screen is narrow: then there is one column, and a card covers the list.
import { signal } from '@preact/signals'

const QUERY = matchMedia('(max-width: 760px)')

export const isNarrow = signal(QUERY.matches)
QUERY.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})
