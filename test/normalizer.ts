// Normalizes responses for comparison: replaces varying values, and ids by their order of appearance.
const ID_PATTERN = /\b(tc|rule|dg)_[0-9A-HJKMNP-TV-Z]{26}\b/g
const TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Returns a copy with TIME for times, MS for durations, DIGEST for digests, and tc_1, tc_2 … rule_1 … dg_1 … for ids. */
export function createNormalizer() {
  const ids = new Map<string, string>()
  const counts = { tc: 0, rule: 0, dg: 0 }
  const named = (id: string, kind: string) => {
    if (!ids.has(id)) ids.set(id, `${kind}_${++counts[kind as keyof typeof counts]}`)
    return ids.get(id)!
  }
  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is compared, not typed
  const normal = (value: unknown, key = ''): any => {
    if (Array.isArray(value)) return value.map(item => normal(item))
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normal(item, name)]))
    if (typeof value === 'number' && key.endsWith('_ms') && key !== 'timeout_ms') return 'MS'
    if (typeof value !== 'string') return value
    if (key === 'digest') return 'DIGEST'
    if (TIME_PATTERN.test(value)) return 'TIME'
    return value.replaceAll(ID_PATTERN, named)
  }
  return normal
}
