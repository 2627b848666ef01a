import { findGame } from "./games";
import { useGames } from "./useGames";

/** The name of a game, or what is stored where the service does not know it. */
export function GameName({ id }: { id: string }) {
  const { data } = useGames();
  return <>{findGame(data ?? [], id)?.name ?? id}</>;
}
