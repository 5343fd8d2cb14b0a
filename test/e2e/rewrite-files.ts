// Fixture: a change of many files, whose diff is much longer than a screen.

/** Returns so many files of so many lines, and a patch that changes each line. */
export function rewriteFiles(count: number, lines: number) {
  const names = Array.from({ length: count }, (_, file) => `f${file}.txt`)
  const text = (start: string) => Array.from({ length: lines }, (_, line) => `${start} ${line}\n`).join('')
  const changes = names.map(name => `*** Update File: ${name}\n@@\n${text('-old')}${text('+new')}`)
  return {
    files: Object.fromEntries(names.map(name => [name, text('old')])),
    patch: `*** Begin Patch\n${changes.join('')}*** End Patch`
  }
}
