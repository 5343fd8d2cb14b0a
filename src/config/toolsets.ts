// Configuration of toolsets. Taken from the administrator's file only: it loosens what a decision must contain.
import { Type } from 'typebox'

/** Toolsets besides the native one. */
export const TOOLSET_NAMES = ['opencode', 'synapsis', 'workspace', 'codey', 'emacs-agent'] as const

export const ToolsetsSchema = Type.Record(
  Type.String({ pattern: `^(?:${TOOLSET_NAMES.join('|')})$` }),
  Type.Object(
    {
      strict: Type.Optional(
        Type.Enum(['confirm', 'ask'], {
          description:
            'Fields that a client must send to approve calls of the toolset. `confirm` (default): the digest of the preview, ' +
            'and `confirm: true` for a strict call. `ask`: only the id of the call.'
        })
      )
    },
    { additionalProperties: false }
  ),
  {
    additionalProperties: false,
    default: {},
    description: "Fields that an approval needs, by toolset name. Takes effect only in the administrator's file."
  }
)
