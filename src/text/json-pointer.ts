// JSON pointers (RFC 6901).

const escapeName = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
const unescapeName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')

/** Returns the pointer to what the names and indexes lead to. */
export const toJsonPointer = (path: readonly (string | number)[]): string =>
  path.map(part => `/${escapeName(String(part))}`).join('')

/** Returns the names and indexes of a pointer, as texts. */
export const parseJsonPointer = (pointer: string): string[] => pointer.split('/').slice(1).map(unescapeName)
