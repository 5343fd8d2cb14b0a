// Editors and pagers: their flags can run commands.
import {
  guessPathOperands,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier
} from '../commands/classification.ts'
import type { ProgramFacts, ScriptOptions } from './program.ts'

const viewer: ProgramClassifier = args =>
  args.some(arg => arg.startsWith('+') || arg.startsWith('-'))
    ? needsStrictApproval('Its flags may run commands.', { operands: args.flatMap(guessPathOperands) })
    : needsApproval('Waits for input at a terminal.', { operands: args.flatMap(guessPathOperands) })

const VIEWER = { classify: viewer } as const
const VIM_SCRIPT: ScriptOptions = { letters: 'RnebdAyN', loading: '-S -u -U -s -l', optionsOnly: true }
const EMACS_SCRIPT: ScriptOptions = { loading: '--script -script -l --load -load', optionsOnly: true }
const PAGER = { runs: '-k -K --lesskey-file --lesskey-src --lesskey-content' }

export const VIEWERS: readonly ProgramFacts[] = [
  { names: 'vi vim nvim view ex', ...VIEWER, followsInput: true, script: VIM_SCRIPT },
  { names: 'gvim', followsInput: true, script: VIM_SCRIPT },
  { names: 'ed', ...VIEWER, followsInput: true },
  { names: 'emacs', ...VIEWER, script: EMACS_SCRIPT },
  { names: 'emacsclient', script: EMACS_SCRIPT },
  { names: 'nano pico', ...VIEWER, data: { runs: '-s --speller -f --rcfile -C' } },
  { names: 'less', ...VIEWER, views: /^-[A-Za-z]*[oO]|^--log|^\+/i, runsText: true, data: PAGER },
  { names: 'more', ...VIEWER, views: true, data: PAGER },
  { names: 'most', ...VIEWER, data: PAGER },
  { names: 'man', ...VIEWER, views: true, runsText: true, data: { runs: '-P --pager -C --config-file -H --html -T' } }
]
