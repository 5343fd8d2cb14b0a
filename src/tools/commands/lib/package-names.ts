// Validates package names: a registry name with an optional version or range. Paths, URLs, archives, git repositories and options
// are rejected.

interface PackageNameSyntax {
  name: RegExp
  /** Syntax of the version, including its separator. */
  version: RegExp
  example: string
}

const RANGE = /^@[\w.^~<>=*+|-]{1,100}$/

export const PACKAGE_NAME_SYNTAX = {
  npm: { name: /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*/i, version: RANGE, example: 'left-pad@^1.3.0' },
  pip: {
    name: /^[a-z0-9](?:[\w.-]*[a-z0-9])?(?:\[[\w.-]+(?:,[\w.-]+)*\])?/i,
    version: /^(?:===?|[<>~!]=|[<>])[\w.*+!-]+(?:,(?:===?|[<>~!]=|[<>])[\w.*+!-]+)*$/,
    example: 'requests>=2.31'
  },
  cargo: { name: /^[a-z][\w-]*/i, version: RANGE, example: 'serde@1.0' },
  go: { name: /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/[\w~-][\w.~-]*)*/, version: RANGE, example: 'golang.org/x/text@v0.14.0' }
} satisfies Record<string, PackageNameSyntax>

/** Suffixes that package managers take for a local file, whatever the prefix. */
const ARCHIVE = /\.(?:tgz|tar(?:\.\w+)?|zip|whl|egg|crate)$/i
const MAX_LENGTH = 300

/** Returns the name without the version. */
export const stripVersion = ({ name }: PackageNameSyntax, text: string): string => name.exec(text)?.[0] ?? text

/** Checks if the whole text is a registry name with at most a version. */
export function isPackage({ name, version }: PackageNameSyntax, text: string): boolean {
  if (text.length > MAX_LENGTH || text.startsWith('-') || text.includes('..') || ARCHIVE.test(text)) return false
  const found = name.exec(text)
  if (!found) return false
  const rest = text.slice(found[0].length)
  return rest === '' || version.test(rest)
}
