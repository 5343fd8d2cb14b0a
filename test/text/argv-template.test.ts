// Tests of program arguments with placeholders for params.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { fillTemplate, type Template, TemplateParamError, validateTemplate } from '../../src/text/argv-template.ts'
import { runs } from '../support/property.ts'

t.test('substitutes each param as a separate argument', async t => {
  const template: Template = [
    'deploy',
    '--to={environment}',
    { when: 'dry_run', words: ['--dry-run'] },
    { when: 'tag', words: ['--tag', '{tag}'] },
    '--only={parts}',
    '{{{environment}}}',
    '{-flags}',
    '',
    '{files}'
  ]
  const filled = (params: object) => fillTemplate(template, params as Record<string, unknown>)
  t.same(filled({ environment: 'staging' }), ['deploy', '--to=staging', '{staging}', ''])
  t.same(
    filled({
      environment: 'a b; rm -rf "$HOME"',
      dry_run: true,
      tag: 7,
      parts: ['one', 'two'],
      flags: ['-v', '--all'],
      files: ['a.txt', 'b c.txt']
    }),
    [
      'deploy',
      '--to=a b; rm -rf "$HOME"',
      '--dry-run',
      '--tag',
      '7',
      '--only=one',
      '--only=two',
      '{a b; rm -rf "$HOME"}',
      '-v',
      '--all',
      '',
      'a.txt',
      'b c.txt'
    ]
  )
  t.same(filled({ environment: 'x', dry_run: false, tag: null, files: [] }), ['deploy', '--to=x', '{x}', ''])
})

t.test('a param becomes an option only where the template says so', async t => {
  const fault = (template: Template, params: Record<string, unknown>) => {
    try {
      return fillTemplate(template, params)
    } catch (error) {
      return `${(error as TemplateParamError).param} ${(error as Error).message}`
    }
  }
  const refused = 'file must not begin with a dash: the program would treat it as an option.'
  t.equal(fault(['rm', '{file}'], { file: '-rf' }), refused)
  t.equal(fault(['rm', '{file}.txt'], { file: '-' }), refused)
  t.equal(fault(['rm', '{file}'], { file: ['a', '--force'] }), refused)
  t.equal(fault(['rm', { when: 'file', words: ['{file}'] }], { file: '-rf' }), refused)
  t.same(fault(['rm', '{-file}'], { file: '-rf' }), ['rm', '-rf'])
  t.equal(fault(['rm', '--', '{file}'], { file: '-rf' }), refused, 'not every program heeds the word')
  t.same(fault(['rm', '-o{file}'], { file: '-rf' }), ['rm', '-o-rf'])
  t.equal(
    fault(['rm', '{dashes}', '{file}'], { dashes: '--', file: '-rf' }),
    'dashes must not begin with a dash: the program would treat it as an option.'
  )
  t.equal(fault(['rm', '{file}'], { file: 'a\0b' }), 'file contains a null character.')
  t.equal(fault(['rm', '{file}'], { file: { a: 1 } }), 'file must be a text, a number, or a list of these.')
})

t.test('no value creates other arguments or an option', async t => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const params = { one, other }
      try {
        const words = fillTemplate(['p', '{one}', '--x={other}'], params)
        t.strictSame(words, ['p', one, `--x=${other}`])
        t.notOk(words[1]!.startsWith('-'))
      } catch (error) {
        if (!(error instanceof TemplateParamError)) throw error
        t.ok(one.startsWith('-') || /\0/.test(one + other))
      }
    }),
    runs(200)
  )
})

t.test('validates a template against the existing params', async t => {
  const faults = (...template: Template) => validateTemplate(template, ['a', 'b'])
  t.same(faults('p', '{a}', '{-b}{a}', '{{x}}', { when: 'a', words: ['{b}'] }), [])
  t.same(faults('{a}'), ['the first word must be a program, without placeholders'])
  t.same(faults({ when: 'a', words: ['p'] }), ['the first word must be a program, without placeholders'])
  t.same(faults('p', '{c}', { when: 'd', words: ['{e}'] }), [
    'there is no param "c"',
    'there is no param "d"',
    'there is no param "e"'
  ])
  t.same(faults('p', '{a', 'b}', '{}'), [
    '"{a" has a single {: write {{ for a literal brace',
    '"b}" has a single }: write }} for a literal brace',
    '"{}" has a single {: write {{ for a literal brace'
  ])
})
