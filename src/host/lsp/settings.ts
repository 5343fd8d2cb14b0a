// What a server gets that asks for a section of its configuration, such as `python.analysis`.

export function sectionOf(settings: object, section: string | undefined): unknown {
  let found: unknown = settings
  for (const name of section ? section.split('.') : []) {
    if (typeof found !== 'object' || found === null) return null
    found = (found as Record<string, unknown>)[name]
  }
  return found ?? null
}
