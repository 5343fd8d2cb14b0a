// Generators of texts and of patches for them.
import { structuredPatch } from 'diff'
import fc from 'fast-check'

const line = fc.constantFrom(
  '',
  'a',
  'b',
  'c',
  '  a',
  'a ',
  'long line',
  '--- a',
  '+++ b',
  '@@ -1 +1 @@',
  '*** End Patch',
  '\\ No newline',
  'diff --git a/x b/x',
  'cr\r',
  'c\rr',
  '\ttab',
  'ü日'
)

/** Repetitive lines, with and without a newline at the end. */
export const repetitive = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, final]) => lines.join('\n') + (final && lines.length > 0 ? '\n' : ''))

const change = fc.record({
  at: fc.nat(60),
  remove: fc.nat(4),
  add: fc.array(line, { maxLength: 4 })
})

/** A text and an edited version. Lines of the first are all different. */
export const edited = fc
  .tuple(fc.integer({ min: 1, max: 60 }), fc.array(change, { minLength: 1, maxLength: 5 }), fc.boolean(), fc.boolean())
  .map(([count, changes, final, crlf]) => {
    const before = Array.from({ length: count }, (_, i) => `${'  '.repeat(i % 4)}line ${i}`)
    const after = [...before]
    for (const [i, { at, remove, add }] of changes.entries()) {
      after.splice(at % (after.length + 1), remove, ...add.map(text => `${text} new ${i}`))
    }
    const text = (lines: string[]) => (lines.length === 0 ? '' : lines.join('\n') + (final ? '\n' : ''))
    const ended = (text: string) => (crlf ? text.replace(/\r?\n/g, '\r\n') : text)
    return { before: ended(text(before)), after: ended(text(after)) }
  })

export interface Content {
  text: string
  executable: boolean
}
export type Files = Record<string, Content>

const content = (text = repetitive) => fc.record({ text, executable: fc.boolean() }, { noNullPrototype: true })
const textWithBom = fc.oneof(
  { weight: 4, arbitrary: repetitive },
  { weight: 1, arbitrary: repetitive.map(text => `\ufeff${text}`) }
)
/** The change of one file. */
export const patchFileChange = fc.record({
  kind: fc.constantFrom('modified', 'new', 'deleted', 'renamed'),
  before: content(textWithBom),
  after: content(textWithBom),
  name: fc.constantFrom('a.txt', 'with space', 'd/e', ' x ', 'ü日', 'quo"te', 'back\\slash', 'tab\there', 'b/x')
})

export type PatchFileChange = Omit<typeof patchFileChange extends fc.Arbitrary<infer T> ? T : never, 'name'> & {
  name: string
}

/** Returns the files before and after all changes, each under its own name. */
export function fileTrees(happenings: readonly PatchFileChange[]) {
  const [before, after]: [Files, Files] = [{}, {}]
  for (const [i, { kind, name, ...content }] of happenings.entries()) {
    if (kind !== 'new') before[`${i}/${name}`] = content.before
    if (kind !== 'deleted') after[kind === 'renamed' ? `to/${i}/${name}` : `${i}/${name}`] = content.after
  }
  return { before, after }
}

/** Formats the change of one file as V4A, which cannot express a newline at the end that is added or removed. */
export function toV4aPatch(path: string, before: string, after: string): string {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 3 })
  const lines = hunks.flatMap(hunk => ['@@', ...hunk.lines.filter(line => !line.startsWith('\\'))])
  return ['*** Begin Patch', `*** Update File: ${path}`, ...lines, '*** End Patch', ''].join('\n')
}
