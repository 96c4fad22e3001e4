"""The processes of agents. An agent in its own process can harm neither the server nor other games.

- `agent_service.py`: `AgentService` chooses the process that answers a request.
- `third_party_agent.py`: an agent that is not built in; its host gets views, and this process is the referee.
- `shared_hosts.py`: the hosts (see `core/hosting/`) that all threads of the server share.
- `run_agents.py`: agents of the served run that are not built in.
- `worker.py`, `request_handler.py`: a process of our own code for all built-in agents, and the requests it handles.
"""
