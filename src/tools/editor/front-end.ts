// Common output schema of the editor tools.
import { Type } from 'typebox'

export const FRONT_END = Type.String({ description: 'Name of the editor.' })
