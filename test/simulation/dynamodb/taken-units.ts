/** Units of one partition key, of the table or of an index (`''` is the table). */
export interface TakenUnits {
  readonly operation: 'read' | 'write';
  readonly index: string;
  readonly key: string;
  readonly units: number;
}
