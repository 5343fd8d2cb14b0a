// Returns a section of the configuration as requested by a server, such as `python.analysis`.

export function getSection(settings: object, section: string | undefined): unknown {
  let found: unknown = settings
  for (const name of section ? section.split('.') : []) {
    if (!isTable(found)) return null
    found = found[name]
  }
  return found ?? null
}

/** Merges settings deeply; `above` takes precedence. */
export function mergeSettings(below: object, above: object): object {
  const result: Record<string, unknown> = { ...below }
  for (const [name, value] of Object.entries(above)) {
    const own = result[name]
    result[name] = isTable(own) && isTable(value) ? mergeSettings(own, value) : value
  }
  return result
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
