// JSON pointers (RFC 6901).

const escapeName = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Returns the pointer to what the names and indexes lead to. */
export const toJsonPointer = (path: readonly (string | number)[]): string =>
  path.map(part => `/${escapeName(String(part))}`).join('')
