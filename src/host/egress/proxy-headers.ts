// Hop-by-hop headers, which a proxy does not forward.

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect'
])

/** Returns the end-to-end headers, as a flat list of names and values in their order. `raw` has the same form. */
export function endToEndHeaders(raw: readonly string[]): string[] {
  const pairs = raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []))
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map(one => one.trim().toLowerCase()))
  const ends = new Set([...HOP_BY_HOP, ...named])
  return pairs
    .filter(([name]) => !ends.has(name.toLowerCase()) && !name.toLowerCase().startsWith('proxy-'))
    .flatMap(pair => [...pair])
}
