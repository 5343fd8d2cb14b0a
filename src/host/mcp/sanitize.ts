// Sanitizes tool definitions of servers, which are read by people, models and validators, and may be hostile: limits their size,
// and removes control and invisible characters.

const MAX_TEXT_CHARACTERS = 8_192
const MAX_DEPTH = 32

/** Removes control, formatting and other invisible characters except line ends and tabs, and limits the length. */
export function sanitizeText(text: string, longest = MAX_TEXT_CHARACTERS): string {
  const plain = text.toWellFormed().replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, '')
  return plain.length > longest ? `${plain.slice(0, longest).toWellFormed()}…` : plain
}

/** Sanitizes each text in a JSON value. Throws if it contains an invalid name, or is nested too deeply. */
export function sanitizeJson(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new Error(`the JSON is nested more than ${MAX_DEPTH} levels deep`)
  if (typeof value === 'string') return sanitizeText(value)
  if (Array.isArray(value)) return value.map(item => sanitizeJson(item, depth + 1))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (name !== sanitizeText(name) || name === '__proto__')
        throw new Error('the JSON has a field name with invisible characters')
      return [name, sanitizeJson(item, depth + 1)]
    })
  )
}
