// Sets up `toolgate audit key`: the public part of the key that signs the chain and exports.
import type { Command } from 'commander'
import { AuditKey } from '../../store/audit-key.ts'
import type { CliContext } from '../context.ts'
import { addRootOption, explained, type JournalOptions, loadJournalSettings } from '../journal-file.ts'

export function setUpAuditKey(command: Command, context: CliContext): void {
  addRootOption(
    command.description('Print the public key that verifies the chain and exports. Creates the key if there is none.')
  )
    .addHelpText(
      'after',
      `
An Ed25519 key, in base64url. The private part is audit-key.pem in the state folder, which tools cannot read. Keep the public
part where the server cannot write, for --key of toolgate audit verify.

Example:
  toolgate audit key`
    )
    .action(async (_: JournalOptions, action: Command) => {
      const { root } = action.optsWithGlobals<JournalOptions>()
      const settings = await loadJournalSettings(context, { root: [root ?? []].flat() })
      const { publicKey } = explained(() => AuditKey.open(settings.state_dir))
      const { terminal } = context
      if (terminal.json) terminal.printJson({ key: publicKey })
      else terminal.print(publicKey)
    })
}
