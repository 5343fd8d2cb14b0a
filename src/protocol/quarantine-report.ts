// Quarantine report: files that a sandboxed command left in the workspace for other programs to execute or interpret, as results
// and jobs report them.
import { type Static, Type } from 'typebox'

/** Limit of listed paths. */
const MAX_LISTED_QUARANTINED = 200

/** Fields of a result; absent if nothing was left and everything could be checked. */
export const quarantineFields = {
  quarantined: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_LISTED_QUARANTINED,
      description: `Created files that programs execute automatically, and folders above the maximum number, which were moved to the quarantine folder. At most ${MAX_LISTED_QUARANTINED} are listed.`
    })
  ),
  quarantined_omitted: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of files that are not listed.' })),
  quarantine_folder: Type.Optional(
    Type.String({ description: 'Absolute path of the quarantine folder. Commands cannot access it.' })
  ),
  special_files: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Sockets and pipes of other programs, which a sandboxed command cannot use, move or remove.'
    })
  ),
  unchecked: Type.Optional(
    Type.String({
      description: 'Reason why files that programs execute automatically may remain in the workspace.'
    })
  )
}

const QuarantineReport = Type.Object(quarantineFields)
export type QuarantineReport = Static<typeof QuarantineReport>

/** Builds the fields from the outcome of a command. */
export const toQuarantineReport = ({
  quarantined = [],
  quarantine_folder,
  special_files,
  unchecked
}: Omit<QuarantineReport, 'quarantined_omitted'>): QuarantineReport => ({
  ...(quarantined.length > 0 && { quarantined: quarantined.slice(0, MAX_LISTED_QUARANTINED) }),
  ...(quarantined.length > MAX_LISTED_QUARANTINED && {
    quarantined_omitted: quarantined.length - MAX_LISTED_QUARANTINED
  }),
  ...(quarantine_folder !== undefined && { quarantine_folder }),
  ...(special_files && { special_files }),
  ...(unchecked !== undefined && { unchecked })
})

/** Formats the report as sentences for a model and a person, without a final full stop. */
export const formatQuarantineNotes = ({
  quarantined = [],
  quarantined_omitted = 0,
  quarantine_folder,
  special_files,
  unchecked
}: QuarantineReport): string[] => [
  ...(quarantined.length === 0
    ? []
    : [
        `Moved out of the workspace, because programs execute them automatically or hang on them, or there are too many folders: ${quarantined.join(', ')}${quarantined_omitted > 0 ? ` and ${quarantined_omitted} more` : ''}${
          quarantine_folder === undefined
            ? ''
            : `. They are now in ${quarantine_folder}, with the same relative paths: copy back the ones you need`
        }`
      ]),
  ...(special_files
    ? [
        `Sockets and pipes of other programs cannot be used, moved or removed in the sandbox: ${special_files.join(', ')}. Use delete_file to remove them`
      ]
    : []),
  ...(unchecked === undefined
    ? []
    : [`Files that programs execute automatically may remain in the workspace: ${unchecked.replace(/\.$/, '')}`])
]
