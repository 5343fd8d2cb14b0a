// The list of saved rules.
import { Type } from 'typebox'
import type { SavedRule } from './decisions.ts'
import { NextCursor } from './request-params.ts'
import { ConfiguredRule } from './rules.ts'
import { schemaRef } from './schema-ref.ts'

export const RuleParams = Type.Object({ id: Type.String({ description: 'rule_id' }) })

const HubRuleList = Type.Object(
  {
    version: Type.Integer({ description: 'Larger than the versions of all earlier sets.' }),
    saved_at: Type.String({ format: 'date-time' }),
    saved_by: Type.String({ description: 'Person who saved it at the hub.' }),
    rules: Type.Array(ConfiguredRule)
  },
  { description: 'Active rules of the hub, on the first page, for tokens that may approve.' }
)

export const RulePage = Type.Object({
  rules: Type.Array(schemaRef<SavedRule>('Rule')),
  cursor: NextCursor,
  hub: Type.Optional(HubRuleList)
})
