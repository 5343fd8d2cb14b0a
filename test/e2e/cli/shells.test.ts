// Tests of completion in real shells at a real terminal: names chosen by an agent are quoted, whatever they contain.
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { COMPLETION_SCRIPTS } from '../../../src/cli/completion/scripts.ts'
import { runInPty } from '../../cli/pty.ts'
import { serveProject } from '../../cli/toolgate.ts'
import { needs } from '../../support/needs.ts'

/** Session names given by callers. Those with hidden characters are never offered. */
const NAMES = {
  blanks: 'blanks and more Z',
  quotes: `quotes ' " \\ Z`,
  dollars: 'dollars $(touch ran) `touch ran` $HOME Z',
  ends: 'ends; touch ran & touch ran | touch ran > ran Z',
  globs: 'globs ~ * ? [a] {a,b} : Z'
}
const HIDDEN = ['hidden\nline', 'hidden\u0007bell', 'hidden\u202eright']

interface Shell {
  argv: readonly string[]
  /** Defines the program and its completion, and clears the line. */
  begin: (program: string, script: string) => string
}

const SHELLS: Readonly<Record<'zsh' | 'fish', Shell>> = {
  zsh: {
    argv: ['-f', '-i'],
    begin: (program, script) =>
      `PS1='ready> '; unsetopt beep; autoload -Uz compinit; compinit -u -d ./dump; toolgate() { ${program} "$@" }\n${script}`
  },
  fish: {
    argv: ['--no-config', '-i'],
    begin: (program, script) =>
      `function fish_prompt; echo -n 'ready> '; end; function fish_right_prompt; end; function toolgate; ${program} $argv; end\n${script}`
  }
}

for (const [shell, { argv, begin }] of Object.entries(SHELLS) as ['zsh' | 'fish', Shell][]) {
  t.test(`${shell} completes names quoted`, needs('node-pty', shell), async t => {
    const { commandOf, project, client } = await serveProject(t)
    for (const session_id of [...Object.values(NAMES), ...HIDDEN])
      await client.call('shell_exec', { command: 'touch b' }, { session_id })
    const { file, args, cwd, env } = commandOf([])
    const program = [file, ...args].map(word => `'${word}'`).join(' ')
    writeFileSync(path.join(project, 'begin'), begin(program, COMPLETION_SCRIPTS[shell]!))
    const person = await runInPty(
      t,
      { file: `/usr/bin/${shell}`, args: [...argv], cwd, env: { ...env, TMPDIR: tmpdir() } },
      { cols: 200 }
    )
    person.press('source ./begin\r')
    await person.sees(/ready> /)
    for (const [begins, name] of Object.entries(NAMES)) {
      // The completed line is run with a program that prints its arguments.
      person.press(`toolgate tail --session ${begins.slice(0, 4)}\t`)
      await person.sees(/Z/)
      person.press('\u0001printf %s,%s\\\\n \r')
      t.equal(/--session,(.*)\n/.exec(await person.sees(/--session,.*\n/))?.[1], name)
    }
    t.notOk(existsSync(path.join(project, 'ran')))
  })
}
