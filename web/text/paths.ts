// Shortens paths.

/** Returns the last two segments of a path, which distinguish projects. */
export const lastSegments = (path: string): string => path.split('/').slice(-2).join('/')
