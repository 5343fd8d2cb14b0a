// Abbreviates JSON values: strings and lists keep their beginnings, so that a list of many values stays small and each its shape.

interface Limits {
  characters: number
  items: number
}

/** From what is usual to what always fits. */
const STEPS: readonly Limits[] = [
  { characters: 2_048, items: 100 },
  { characters: 512, items: 20 },
  { characters: 128, items: 5 },
  { characters: 32, items: 2 }
]
const MAX_DEPTH = 6

/** Returns the value if it takes at most so many bytes as JSON, else an abbreviation of it. */
export function abbreviateJson(value: unknown, maxBytes: number): unknown {
  if (fits(value, maxBytes)) return value
  for (const limits of STEPS) {
    const shorter = abbreviate(value, limits, 0)
    if (fits(shorter, maxBytes)) return shorter
  }
  return ELLIPSIS
}

const ELLIPSIS = '…'

const fits = (value: unknown, maxBytes: number) => Buffer.byteLength(JSON.stringify(value) ?? '') <= maxBytes

function abbreviate(value: unknown, limits: Limits, depth: number): unknown {
  if (typeof value === 'string') return abbreviateText(value, limits.characters)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return ELLIPSIS
  if (Array.isArray(value)) {
    const shown = value.slice(0, limits.items).map(item => abbreviate(item, limits, depth + 1))
    return value.length > shown.length ? [...shown, `… ${value.length - shown.length} more`] : shown
  }
  const entries = Object.entries(value).slice(0, limits.items)
  return Object.fromEntries(
    entries.map(([key, item]) => [abbreviateText(key, limits.characters), abbreviate(item, limits, depth + 1)])
  )
}

function abbreviateText(text: string, characters: number): string {
  if (text.length <= characters) return text
  return `${text.slice(0, characters).toWellFormed()}… ${text.length - characters} more characters`
}
