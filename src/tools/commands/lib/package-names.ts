// Which packages may be asked for: a name in a registry and perhaps a version or a range. Paths, URLs, archives, git
// repositories and options are none.

interface PackageNameSyntax {
  name: RegExp
  /** After the name, with the sign that parts them. */
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

/** What package managers take for a file, whatever stands before it. */
const ARCHIVE = /\.(?:tgz|tar(?:\.\w+)?|zip|whl|egg|crate)$/i
const MAX_LENGTH = 300

/** Without the version. */
export const stripVersion = ({ name }: PackageNameSyntax, text: string): string => name.exec(text)?.[0] ?? text

/** Whether all of it is the name of a package in a registry, with at most a version. */
export function isPackage({ name, version }: PackageNameSyntax, text: string): boolean {
  if (text.length > MAX_LENGTH || text.startsWith('-') || text.includes('..') || ARCHIVE.test(text)) return false
  const found = name.exec(text)
  if (!found) return false
  const rest = text.slice(found[0].length)
  return rest === '' || version.test(rest)
}
