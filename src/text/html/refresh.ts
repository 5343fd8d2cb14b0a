// Pages that send browsers on to another address by themselves.

/** Seconds, then the address, which may be in quotes. */
const REFRESH = /^\s*[\d.]*\s*[;,]?\s*url\s*=\s*(?:"([^"]*)|'([^']*)|(.*))/is

/** Returns the address that `<meta http-equiv="refresh">` or the header `Refresh` names. */
export function parseRefresh(content: string): string | undefined {
  const [, ...found] = REFRESH.exec(content) ?? []
  return found.find(Boolean)?.trim()
}
