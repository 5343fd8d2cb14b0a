import { existsSync } from 'node:fs'
import path from 'node:path'
import { workspaceConfigFile } from '../../../config/load.ts'
import { packageFolder } from '../../../host/user-file.ts'
import { writeConfigFile } from '../../../server/config-file.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, parseChoice, usageError } from '../../exit.ts'
import { EDITOR_SNIPPETS } from '../../init/editor-snippets.ts'
import { detectChecks, type InitialPolicy, renderConfig } from '../../init/initial-config.ts'
import { isBuilt } from '../../launch-command.ts'

interface Options {
  root?: string
  yes?: true
  editor?: string
}

const init: CommandSetup = (command, context) => {
  command
    .description("Ask a few questions, write the project's configuration and rules, and show how to connect editors.")
    .option('--root <folder>', 'project folder (default: the current folder)')
    .option('--yes', 'use the defaults without prompting: the only additional rule denies git push')
    .option(
      '--editor <names>',
      `print only the settings for ${Object.keys(EDITOR_SNIPPETS).join(', ')}; comma-separated`
    )
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate init\n  toolgate init --yes\n  toolgate init --editor emacs >> ~/.emacs.d/init.el\n  toolgate init --editor emacs,nvim'
    )
    .action(async ({ root, yes, editor }: Options) => {
      const place = path.resolve(context.runtime.cwd, root ?? '.')
      if (editor !== undefined) return printSnippets(context, parseEditors(editor), place)
      if (!yes && (!context.canPrompt || context.terminal.json))
        throw usageError(
          'Cannot prompt: standard input is not a terminal.',
          'Use --yes, or --editor to print only the settings of an editor.'
        )
      await writeProjectConfig(context, place, yes === true ? undefined : await promptForAnswers(context, place))
    })
}
export default init

const CAUTIOUS_POLICY: InitialPolicy = { allowed: [], denied: ['git push'], readOnly: false }

interface Answers {
  policy: InitialPolicy
  editors: readonly string[]
  overwrite: boolean
}

async function writeProjectConfig(context: CliContext, root: string, answers: Answers | undefined) {
  const { terminal } = context
  const file = workspaceConfigFile(root)
  const { policy = CAUTIOUS_POLICY, editors = [], overwrite = false } = answers ?? {}
  if (existsSync(file) && !overwrite)
    throw new CliError(`${file} already exists and was not changed.`, {
      exit: EXIT.conflict,
      code: 'FILE_EXISTS',
      hint: 'Change the file with: toolgate config set --project'
    })
  writeConfigFile(file, renderConfig(policy))
  if (terminal.json) return terminal.printJson({ file, ...policy })
  terminal.print(`Wrote ${file}`)
  if (policy.allowed.length > 0)
    terminal.print('To apply the permissions in the file, trust it: toolgate trust .toolgate/config.jsonc')
  const found = await context.findServer().catch(() => undefined)
  terminal.print(
    found
      ? `A server for the project is running at ${found.url}; restart it to apply the file.`
      : 'Serve the project with: toolgate serve'
  )
  printSnippets(context, editors, root)
}

/** Prompts a person; Ctrl-C aborts without writing. */
async function promptForAnswers(context: CliContext, root: string): Promise<Answers> {
  const { confirm, isCancel, multiselect } = await import('@clack/prompts')
  const { stdin, stderr } = context.runtime
  const at = { input: stdin, output: stderr, signal: context.signal }
  const answer = <T>(given: T): Exclude<T, symbol> => {
    if (isCancel(given)) throw new DOMException('Interrupted.', 'AbortError')
    return given as Exclude<T, symbol>
  }
  const several = async (message: string, names: readonly string[], first: readonly string[] = []) =>
    names.length === 0
      ? []
      : answer(
          await multiselect({
            ...at,
            message,
            options: names.map(value => ({ value, label: value })),
            initialValues: [...first],
            required: false
          })
        )
  const file = workspaceConfigFile(root)
  const overwrite =
    existsSync(file) &&
    answer(await confirm({ ...at, message: `${file} already exists. Overwrite it?`, initialValue: false }))
  if (existsSync(file) && !overwrite) return { policy: CAUTIOUS_POLICY, editors: [], overwrite }
  const readOnly = answer(await confirm({ ...at, message: 'Read-only mode?', initialValue: false }))
  const allowed = readOnly
    ? []
    : await several('Which commands may run without approval, in the sandbox? (space selects)', detectChecks(root))
  const denied = readOnly
    ? []
    : await several('Which commands should always be denied?', ['git push', 'npm publish'], ['git push'])
  const editors = await several('Which editors and clients will you use?', Object.keys(EDITOR_SNIPPETS))
  return { policy: { allowed, denied, readOnly }, editors, overwrite }
}

function parseEditors(given: string): string[] {
  return given.split(',').map(name => parseChoice('--editor', name.trim(), Object.keys(EDITOR_SNIPPETS)))
}

/** Prints only the lines as data, so that they can be appended to a file. */
function printSnippets({ terminal }: CliContext, names: readonly string[], root: string) {
  const place = { folder: packageFolder(), root }
  if (names.length > 0 && !isBuilt(place.folder))
    terminal.error(
      `toolgate: ${place.folder} is not built. Run npm run build in this folder before you use these settings.`
    )
  if (terminal.json && names.length > 0)
    return terminal.printJson(
      Object.fromEntries(
        names.map(name => [name, { into: EDITOR_SNIPPETS[name]!.into, text: EDITOR_SNIPPETS[name]!.text(place) }])
      )
    )
  for (const name of names) {
    terminal.info(terminal.paint('bold', `\n${name}: into ${EDITOR_SNIPPETS[name]!.into}`))
    terminal.print(EDITOR_SNIPPETS[name]!.text(place))
  }
}
