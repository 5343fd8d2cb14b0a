// Tests of what the console colours: languages by file names, tokens by lines, and the scripts of a preview.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { findOwnScript } from '../../web/diff/own-script.ts'
import { splitText } from '../../web/diff/script-sections.ts'
import { languageOfFile, languageOfShebang } from '../../web/highlight/languages.ts'
import { findShellTokens } from '../../web/highlight/shell-tokens.ts'
import { splitTokens, TOKEN_KINDS } from '../../web/highlight/tokens.ts'

t.test('selects languages by file names', async t => {
  for (const [file, language] of [
    ['src/a.ts', 'typescript'],
    ['a.test.TSX', 'typescript'],
    ['Dockerfile', 'dockerfile'],
    ['deep/.bashrc', 'bash'],
    ['a.min.js', 'javascript'],
    ['folder.py/plain', undefined],
    ['LICENSE', undefined],
    ['a.unknown', undefined],
    ['constructor', undefined],
    ['', undefined]
  ])
    t.equal(languageOfFile(file!), language, String(file))
})

t.test('selects the language of a script by its first line', async t => {
  for (const [line, language] of [
    ['#!/bin/sh', 'bash'],
    ['#! /usr/bin/env bash', 'bash'],
    ['#!/usr/bin/env -S node --test', 'javascript'],
    ['#!/usr/bin/python3.12 -u', 'python'],
    ['#!/opt/unknown', undefined],
    ['# /bin/sh', undefined],
    ['#!', undefined],
    ['#!/usr/bin/env', undefined],
    [`#!${'a'.repeat(1_000_000)}/`, undefined]
  ])
    t.equal(languageOfShebang(line!), language, String(line).slice(0, 40))
})

t.test('splits tokens by lines', async t => {
  const split = (tokens: number[], ...lines: string[]) => splitTokens(Uint32Array.from(tokens), lines)
  t.same(split([2, 1, 3, 0], 'ab', 'cd'), [
    [2, 1, 2, 0],
    [2, 0]
  ])
  t.same(split([5, 2], 'ab', 'cd'), [
    [2, 2],
    [2, 2]
  ])
  t.same(split([1, 0], '', ''), [[0, 0], []])
  t.equal(split([4, 1], 'ab', 'cd'), undefined, 'too short')
  t.equal(split([6, 1], 'ab', 'cd'), undefined, 'too long')
  t.equal(split([2, 1, 0, 0], 'ab'), undefined, 'an empty token at the end')
  t.equal(split([2, TOKEN_KINDS.length], 'ab'), undefined, 'an unknown kind')
  t.equal(split([2], 'ab'), undefined, 'half a token')
  const many = Array.from({ length: 300 }, (_, i) => [1, i % 2]).flat()
  t.same(split([...many, 1, 0, 1, 1], 'x'.repeat(300), 'y'), [[], [1, 1]], 'a line with many tokens stays plain')
})

t.test('tokens end within their lines, or are refused', async () => {
  fc.assert(
    fc.property(fc.array(fc.nat(6)), fc.array(fc.string({ maxLength: 5 })), (numbers, lines) => {
      const split = splitTokens(Uint32Array.from(numbers), lines)
      return (
        split === undefined ||
        (split.length === lines.length &&
          split.every((ends, i) => ends.every((end, at) => at % 2 === 1 || end <= lines[i]!.length)))
      )
    })
  )
})

t.test('finds the scripts in the text of a preview', async t => {
  const text = [
    'sh run.sh',
    'cwd: .',
    '',
    'Executes run.sh:',
    '    echo one',
    '    Executes fake.py:',
    '',
    'Executes bin/tool:',
    '    #!/usr/bin/env python3',
    '',
    'Executes package.json (scripts.test):',
    '    node a.ts',
    '',
    'Executes b.sh, changed since it was approved:',
    '    -one',
    '    +two'
  ].join('\n')
  const executes = (path: string, lines: number, more: object = {}) =>
    ({ kind: 'executes', path, lines, format: 'text', ...more }) as const
  const parts = [
    { kind: 'call', lines: 3 } as const,
    executes('run.sh', 4),
    executes('bin/tool', 3),
    executes('package.json', 3, { entry: 'scripts.test' }),
    executes('b.sh', 3, { format: 'diff' })
  ]
  const own = findOwnScript('shell_exec', { command: 'sh run.sh' })
  const split = splitText(text, { sections: parts, own })
  t.same(split.call, [{ text: 'sh run.sh', language: 'bash' }, { text: '\ncwd: .' }])
  t.same(
    split.executed.map(({ heading, script }) => [heading, script.language, script.text]),
    [
      ['Executes run.sh:', 'bash', 'echo one\nExecutes fake.py:'],
      ['Executes bin/tool:', 'python', '#!/usr/bin/env python3'],
      ['Executes package.json (scripts.test):', 'bash', 'node a.ts'],
      ['Executes b.sh, changed since it was approved:', 'diff', '-one\n+two']
    ]
  )
  t.match(splitText(`${text}\nmore`, { sections: parts, own }).call.at(-1), { text: 'more' }, 'no line is lost')
  const named = 'Executes "tool.py, changed since it was approved":\n    x = 0\n\nExecutes "a b.py":\n    1'
  const names = [
    { kind: 'call', lines: 1 } as const,
    executes('x', 1),
    executes('tool.py, changed', 1),
    executes('a b.py', 2)
  ]
  t.same(
    splitText(named, { sections: names }).executed.flatMap(({ script }) => script.language ?? []),
    ['python'],
    'nothing is taken from the text'
  )
  t.same(splitText(named, {}), { call: [{ text: named }], executed: [] }, 'without sections all is text')
  const code = 'language: python\ncwd: .\n\nprint(1)'
  t.same(splitText(code, { own: findOwnScript('run_code', { language: 'python', code: 'print(1)' }) }).call, [
    { text: 'language: python\ncwd: .\n\n' },
    { text: 'print(1)', language: 'python' }
  ])
  t.same(splitText('other', { own: { text: 'gone', language: 'bash' } }).call, [{ text: 'other' }])
  t.equal(findOwnScript('edit_file', { command: 'x' }), undefined)
})

/** Returns the coloured pieces of a command with their kinds. */
function shellPieces(text: string) {
  const tokens = findShellTokens(text)
  if (!tokens) return undefined
  let at = 0
  const pieces: string[] = []
  for (let i = 0; i < tokens.length; i += 2) {
    const piece = text.slice(at, at + tokens[i]!)
    at += tokens[i]!
    const kind = TOKEN_KINDS[tokens[i + 1]!]!
    if (kind !== 'plain') pieces.push(`${kind} ${piece}`)
  }
  return pieces
}

t.test('colours commands by their grammar', async t => {
  for (const [command, pieces] of [
    ['npm test test/settle.test.ts', ['title npm']],
    ['test -f a && echo test', ['title test', 'attribute -f', 'meta &&', 'title echo']],
    ['echo "a $(rm -rf "$x")" # if', ['title echo', 'string "a ', 'meta $(', 'title rm', 'attribute -rf', 'string "']],
    ['if true; then FOO=bar npm run x; fi', ['keyword if', 'title true', 'meta ;', 'keyword then', 'attribute FOO']],
    ["cat <<'E' > out\nrm -rf /\nE\n", ['title cat', "meta <<'E'", 'meta >', 'string rm -rf /\n', 'meta E']]
  ] as const)
    t.same(shellPieces(command)?.slice(0, pieces.length), pieces, command)
  t.equal(shellPieces('fi; done'), undefined, 'a part of a script')
})

t.test('tokens of any command cover its text', async () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab $(){}\'"`;|&<>\n#!=-[]*~\\') }), text => {
      const tokens = findShellTokens(text)
      const lines = text.split('\n')
      return tokens === undefined || splitTokens(tokens, lines) !== undefined
    }),
    { numRuns: 2_000 }
  )
})
