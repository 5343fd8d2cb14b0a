// Branch names, and git's rules for them.

/** Prefix of a branch's full name. */
export const HEADS = 'refs/heads/'

/** Returns the short name of a branch. */
export const shortName = (ref: string): string => (ref.startsWith(HEADS) ? ref.slice(HEADS.length) : ref)

/** Longer ones leave no room for the suffixes of git's temporary files. */
const MAX_PART_BYTES = 240

/** Returns the reason why git would refuse the name, as the end of a sentence; undefined if it is valid. */
export function branchNameError(name: string): string | undefined {
  return BRANCH_NAME_RULES.find(([is]) => is(name))?.[1]
}

const some = (is: (part: string) => boolean) => (name: string) => name.split('/').some(is)

const BRANCH_NAME_RULES: readonly [is: (name: string) => boolean, error: string][] = [
  [name => name === '', 'is empty'],
  [name => !name.isWellFormed(), 'is not valid Unicode'],
  [name => name.startsWith('-'), 'begins with a dash'],
  [name => name === 'HEAD' || name === '@', 'is the name of the current revision'],
  [name => /[\0-\x20\x7f~^:?*[\\]/.test(name), 'contains white space, a control character or one of ~ ^ : ? * [ \\'],
  [name => name.includes('..'), 'contains two dots in a row'],
  [name => name.includes('@{'), 'holds @{'],
  [name => name.endsWith('.'), 'ends with a dot'],
  [some(part => part === ''), 'has an empty part between slashes'],
  [some(part => part.startsWith('.')), 'has a part that begins with a dot'],
  [some(part => part.endsWith('.lock')), 'has a part that ends with .lock'],
  [some(part => Buffer.byteLength(part) > MAX_PART_BYTES), `has a part longer than ${MAX_PART_BYTES} bytes`],
  [name => name.startsWith('refs/'), 'begins with refs/, which is reserved for full names']
]
