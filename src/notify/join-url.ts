// Addresses below a configured one, which may end with slashes.

/** Appends a path, which begins with a slash. */
export const joinUrl = (base: string, path: string): string => `${base.replace(/\/+$/, '')}${path}`
