// Named shells of sessions.
import { type Static, Type } from 'typebox'
import { SessionParams } from './session-mode.ts'

export const ShellParams = Type.Object({
  ...SessionParams.properties,
  name: Type.String({ minLength: 1, description: 'Shell name.' })
})
export const ShellsQuery = Type.Object({
  workspace: Type.Optional(Type.String({ description: 'Name of the workspace, if there are several.' })),
  token_id: Type.Optional(
    Type.String({ description: 'Only shells of this call-only token. For callers that can approve.' })
  )
})

export const ShellInfo = Type.Object(
  {
    name: Type.String({ description: 'Name of the shell, as in the param `shell` of `shell_exec`.' }),
    token_id: Type.Optional(Type.String({ description: 'Call-only token that the shell belongs to.' })),
    cwd: Type.String({ description: 'Working directory of its next command, relative to the workspace root.' }),
    variables: Type.Array(Type.String(), { description: 'Names of its exported variables.' }),
    updated_at: Type.String({ format: 'date-time', description: 'End time of its last command.' })
  },
  { title: 'Shell' }
)
export type ShellInfo = Static<typeof ShellInfo>

export const ShellList = Type.Object({ shells: Type.Array(ShellInfo) }, { title: 'ShellList' })
