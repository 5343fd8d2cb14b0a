// Which headers of a message are for the next stop alone, and so end at a proxy.

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect'
])

/** The others, as a flat list of names and values in their order. `raw` is one too. */
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
